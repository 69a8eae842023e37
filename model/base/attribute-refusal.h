/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ATTRIBUTE_REFUSAL_H
#define GPU_FABRIC_ATTRIBUTE_REFUSAL_H

#include <string>

namespace ns3
{

/**
 * Reports why the text of an attribute was refused. ns-3 does not: its own message only names the
 * attribute. The reason is printed to std::cerr before that message, unless an object of this class
 * exists to collect it.
 */
class AttributeRefusal
{
  public:
    /// Collects reasons instead of printing them, for the lifetime of the object.
    AttributeRefusal();
    ~AttributeRefusal();
    AttributeRefusal(const AttributeRefusal&) = delete;
    AttributeRefusal& operator=(const AttributeRefusal&) = delete;

    /// The last reason; empty if nothing was refused.
    const std::string& GetReason() const
    {
        return m_reason;
    }

    /// Reports a reason, one sentence without a full stop.
    static void Report(const std::string& reason);

  private:
    std::string m_reason;
    AttributeRefusal* m_outer;
};

} // namespace ns3

#endif // GPU_FABRIC_ATTRIBUTE_REFUSAL_H
