/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_STRICT_COMMAND_LINE_H
#define GPU_FABRIC_STRICT_COMMAND_LINE_H

#include "ns3/command-line.h"

#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

class Diagnostics;

/**
 * ns-3's CommandLine, with every argument checked first, because ns-3 itself ends the program with
 * status 1, aborts on an attribute value that it cannot parse, or reads "5" as five seconds.
 *
 * All errors are reported at once, as for a scenario file: the first number of a place is the index
 * of the argument. Values of attributes may be written as in a scenario ("32MB", "50us"), or as
 * --PrintAttributes shows them. `--option value` is equivalent to `--option=value`.
 */
class StrictCommandLine : public CommandLine
{
  public:
    /// \param filename the source file of the program, whose name the help shows
    explicit StrictCommandLine(const std::string& filename);

    /// Sets what --version prints.
    void SetVersion(const std::string& version);

    /// Adds an option, as CommandLine does; integers must be 0 or more.
    template <typename T>
    void AddValue(const std::string& name, const std::string& help, T& value)
    {
        m_options.push_back({name,
                             std::is_same_v<T, bool> ? Kind::SWITCH
                             : std::is_integral_v<T> ? Kind::NUMBER
                                                     : Kind::TEXT});
        CommandLine::AddValue(name, help, value);
    }

    /// Adds an argument without a name, as CommandLine does.
    template <typename T>
    void AddNonOption(const std::string& name, const std::string& help, T& value)
    {
        ++m_nonOptions;
        CommandLine::AddNonOption(name, help, value);
    }

    /**
     * Parses the arguments if all of them are valid. Ends the program after --help, --version or
     * one of the --Print options.
     * \param err receives messages
     * \returns whether all are valid; if not, no value has been set
     */
    bool Parse(int argc, char* argv[], std::ostream& err);

    /// Attributes that were set, as "ns3::Class::Attribute", sorted.
    const std::vector<std::string>& GetAttributes() const;
    /// "Name=value", as given, of ns-3's global values except RngRun and of attributes of forms
    /// that only ns-3 reads.
    const std::vector<std::string>& GetOthers() const;
    /// Whether an option or global value was given.
    bool IsGiven(const std::string& name) const;

  private:
    /// The values that an option accepts.
    enum class Kind
    {
        SWITCH,
        NUMBER,
        TEXT
    };

    struct Option
    {
        std::string name;
        Kind kind;
    };

    /// An argument being checked.
    struct Argument;

    /// \returns whether it is one of the options after which ns-3 ends the program
    bool CheckPrint(const Argument& argument, Diagnostics& diagnostics) const;
    static void CheckOption(const Option& option,
                            const Argument& argument,
                            Diagnostics& diagnostics);
    void CheckAttribute(Argument& argument, Diagnostics& diagnostics);
    /// \returns whether there is such a global value
    bool CheckGlobal(const Argument& argument, Diagnostics& diagnostics);
    void ReportUnknown(const Argument& argument, Diagnostics& diagnostics) const;

    std::string m_version;
    std::vector<Option> m_options;
    size_t m_nonOptions{0};
    std::vector<std::string> m_attributes; ///< sorted
    std::vector<std::string> m_others;     ///< sorted
    std::vector<std::string> m_given;
};

} // namespace ns3

#endif // GPU_FABRIC_STRICT_COMMAND_LINE_H
