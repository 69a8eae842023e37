/* SPDX-License-Identifier: GPL-2.0-only */
#include "../document/document-node.h"
#include "job-trace-reader.h"

#include "ns3/log.h"

#include <algorithm>
#include <optional>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PhillyTraceReader");

namespace
{

/// Extracts the objects of a JSON list one by one, so that a log of any length is parsed in pieces.
class ObjectCutter
{
  public:
    explicit ObjectCutter(const std::string& text)
        : m_text(text)
    {
    }

    /// Advances to the next object; false at the end, or if the text is not a list of objects.
    bool Next()
    {
        const char wanted = m_position == 0 ? '[' : ',';
        SkipBlank();
        if (Peek() == ']' && m_objects > 0)
        {
            m_end = true;
            return false;
        }
        if (Peek() == wanted)
        {
            Advance();
            SkipBlank();
            if (Peek() == ']' && m_objects == 0)
            {
                m_end = true;
                return false;
            }
        }
        else
        {
            return false;
        }
        if (Peek() != '{')
        {
            return false;
        }
        m_begin = m_position;
        beginLine = line;
        beginColumn = column;
        int depth = 0;
        bool quoted = false;
        do
        {
            const char c = Peek();
            if (quoted && c == '\\')
            {
                Advance();
            }
            else if (c == '"')
            {
                quoted = !quoted;
            }
            else if (!quoted)
            {
                depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            }
            Advance();
        } while (depth > 0 && m_position < m_text.size());
        m_objects++;
        return depth == 0;
    }

    /// Whether the list was complete.
    bool HasEnded() const
    {
        return m_end;
    }

    std::string GetText() const
    {
        return m_text.substr(m_begin, m_position - m_begin);
    }

    int line{1}; ///< current position
    int column{1};
    int beginLine{1}; ///< of the object
    int beginColumn{1};

  private:
    char Peek() const
    {
        return m_position < m_text.size() ? m_text[m_position] : '\0';
    }

    void Advance()
    {
        if (m_position < m_text.size())
        {
            column = m_text[m_position] == '\n' ? 1 : column + 1;
            line += m_text[m_position] == '\n' ? 1 : 0;
            m_position++;
        }
    }

    void SkipBlank()
    {
        while (Peek() == ' ' || Peek() == '\n' || Peek() == '\r' || Peek() == '\t')
        {
            Advance();
        }
    }

    const std::string& m_text;
    std::size_t m_position{0};
    std::size_t m_begin{0};
    std::size_t m_objects{0};
    bool m_end{false};
};

} // namespace

/**
 * The log of jobs of Microsoft's Philly clusters (Jeon et al., USENIX ATC 2019), cluster_job_log: a
 * JSON list of objects with status, vc, jobid, attempts, submitted_time and user. An attempt has
 * start_time, end_time and detail, a list of hosts with their GPUs.
 *
 * The log contains no models and no iterations: a job runs for the sum of its attempts, on as many
 * GPUs as its first attempt had, with the model given by `models: {default: ...}`. Jobs that never
 * ran or lack a time are skipped.
 */
class PhillyTraceReader : public JobTraceReader
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PhillyTraceReader")
                                .SetParent<JobTraceReader>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<PhillyTraceReader>();
        return tid;
    }

    std::vector<TraceJob> Read(const JobTraceFiles& files, Diagnostics& diagnostics) const override
    {
        NS_LOG_FUNCTION(this << files.file);
        diagnostics.AddSource(files.file, files.text);
        std::vector<TraceJob> jobs;
        ObjectCutter cutter(files.text);
        SkippedJobs skipped;
        while (!HasFirst(jobs, files) && cutter.Next())
        {
            const std::string text = cutter.GetText();
            Diagnostics own;
            auto object = DocumentNode::Parse(files.file, text, own);
            const SourceMark mark{files.file, cutter.beginLine, cutter.beginColumn};
            if (!object || own.HasErrors() || !object->IsMap())
            {
                diagnostics.Error(mark, "", "this is no JSON object");
                return jobs;
            }
            TraceJob job;
            job.mark = job.modelMark = mark;
            const std::string reason = ReadJob(*object, mark, job, diagnostics);
            if (reason.empty())
            {
                jobs.push_back(job);
            }
            else
            {
                skipped.Add(reason);
            }
            if (diagnostics.GetErrorCount() >= MAX_ERRORS)
            {
                return jobs;
            }
        }
        skipped.Report(files.file, jobs.size(), diagnostics);
        if (!HasFirst(jobs, files) && !cutter.HasEnded())
        {
            diagnostics.Error({files.file, cutter.line, cutter.column},
                              "",
                              "a JSON list of jobs is wanted");
        }
        return jobs;
    }

  private:
    static constexpr int MAX_ERRORS = 20;

    /// The time of a key; -1 if there is none (null or "None").
    static int64_t GetDate(const DocumentNode& object,
                           const char* key,
                           const SourceMark& mark,
                           Diagnostics& diagnostics)
    {
        const DocumentNode* node = object.Find(key);
        if (node == nullptr || node->kind == DocumentNode::Kind::NONE || node->text == "None" ||
            node->text.empty())
        {
            return -1;
        }
        const int64_t date = ParseDate(node->text);
        if (date < 0)
        {
            diagnostics.Error(mark,
                              key,
                              Diagnostics::Quote(node->text) +
                                  " is not a time such as 2017-10-09 07:02:37");
        }
        return date;
    }

    /// \returns why the job is left out; empty: it ran
    static std::string ReadJob(const DocumentNode& object,
                               const SourceMark& mark,
                               TraceJob& job,
                               Diagnostics& diagnostics)
    {
        const DocumentNode* id = object.Find("jobid");
        const DocumentNode* attempts = object.Find("attempts");
        if (id == nullptr || !id->IsScalar() || attempts == nullptr || !attempts->IsList() ||
            object.Find("submitted_time") == nullptr)
        {
            diagnostics.Error(mark, "", "a job wants jobid, submitted_time and a list of attempts");
            return "in error";
        }
        job.id = id->text;
        const int64_t submitted = GetDate(object, "submitted_time", mark, diagnostics);
        int64_t seconds = 0;
        for (const DocumentNode& attempt : attempts->items)
        {
            const int64_t start = GetDate(attempt, "start_time", mark, diagnostics);
            const int64_t end = GetDate(attempt, "end_time", mark, diagnostics);
            seconds += start < 0 || end < start ? 0 : end - start;
        }
        const DocumentNode* detail =
            attempts->items.empty() ? nullptr : attempts->items[0].Find("detail");
        for (std::size_t i = 0; detail != nullptr && i < detail->items.size(); i++)
        {
            const DocumentNode* gpus = detail->items[i].Find("gpus");
            job.gpus += gpus == nullptr ? 0 : static_cast<uint32_t>(gpus->items.size());
        }
        job.submitNs = submitted * 1'000'000'000;
        job.durationNs = seconds * 1'000'000'000;
        if (attempts->items.empty())
        {
            return "never started";
        }
        if (submitted < 0)
        {
            return "without a time of submission";
        }
        if (job.gpus == 0)
        {
            return "without GPUs";
        }
        return seconds > 0 ? "" : "without the start or the end of an attempt";
    }
};

NS_OBJECT_ENSURE_REGISTERED(PhillyTraceReader);

} // namespace ns3
