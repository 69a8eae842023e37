/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ATTRIBUTE_REFUSAL_H
#define GPU_FABRIC_ATTRIBUTE_REFUSAL_H

#include <string>

namespace ns3
{

/**
 * Says why the text of an attribute was refused, which ns-3 does not: its own message names the
 * attribute only. The sentence goes to std::cerr, before that message, unless somebody collects.
 */
class AttributeRefusal
{
  public:
    /// Collects, instead of printing, for as long as the object lives.
    AttributeRefusal();
    ~AttributeRefusal();
    AttributeRefusal(const AttributeRefusal&) = delete;
    AttributeRefusal& operator=(const AttributeRefusal&) = delete;

    /// What was refused last; empty if nothing was.
    const std::string& GetReason() const
    {
        return m_reason;
    }

    /// Tells a reason, one sentence without a full stop.
    static void Tell(const std::string& reason);

  private:
    std::string m_reason;
    AttributeRefusal* m_outer;
};

} // namespace ns3

#endif // GPU_FABRIC_ATTRIBUTE_REFUSAL_H
