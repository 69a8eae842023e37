/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MSCCL_READER_H
#define GPU_FABRIC_MSCCL_READER_H

#include "msccl-program.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads an MSCCL XML file and checks each element on its own: names, numbers, ranges, peers.
 * MscclImporter checks how the steps work together.
 */
class MscclReader
{
  public:
    /// \param diagnostics receives all errors, with positions; must outlive this object
    explicit MscclReader(Diagnostics& diagnostics);

    /// Reads a file. \returns nothing if there is an error
    std::optional<MscclProgram> ReadFile(const std::string& file);
    /// Reads a text. \param file its name in messages
    std::optional<MscclProgram> ReadText(const std::string& text, const std::string& file);

  private:
    /// An element that has been opened.
    struct Element
    {
        std::string name;
        SourceMark mark;
        std::map<std::string, std::string> attributes;
    };

    /// The expat parser and its callbacks.
    class Parser;

    void Begin(const Element& element);
    void End(const std::string& name);
    void BeginAlgorithm(const Element& element);
    void BeginGpu(const Element& element);
    void BeginBlock(const Element& element);
    void BeginStep(const Element& element);
    void ReadOperation(const Element& element);
    void ReadDestinations(const Element& element);
    void ReadWait(const Element& element, MscclStep& step);
    void ReadPlaces(const Element& element, MscclStep& step);
    std::optional<ChunkBuffer> ReadBuffer(const Element& element, const std::string& attribute);
    /// Warns of attributes that are not in the list.
    void CheckNames(const Element& element, const std::vector<std::string>& names);
    std::optional<std::string> GetText(const Element& element, const std::string& attribute);
    /**
     * An integer attribute.
     * \param least smallest value \param most largest value
     * \param missing default if the attribute is absent; nothing: it is required
     */
    std::optional<int64_t> GetNumber(const Element& element,
                                     const std::string& attribute,
                                     int64_t least,
                                     int64_t most,
                                     std::optional<int64_t> missing = std::nullopt);
    void Error(const SourceMark& mark, const std::string& what);
    void CheckComplete();

    Diagnostics& m_diagnostics;
    std::string m_file;
    MscclProgram m_program;
    std::vector<std::string> m_open; ///< names of the open elements
    std::vector<bool> m_seen;        ///< by GPU
    bool m_good{true};
    MscclGpu* m_gpu{nullptr};
    MscclThreadBlock* m_block{nullptr};
    uint32_t m_gpuId{0};
};

} // namespace ns3

#endif // GPU_FABRIC_MSCCL_READER_H
