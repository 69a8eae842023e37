/* SPDX-License-Identifier: GPL-2.0-only */
#include "attribute-refusal.h"

#include <iostream>

namespace ns3
{

namespace
{
/// The collector of this thread; null: none.
thread_local AttributeRefusal* g_collector = nullptr;
} // namespace

AttributeRefusal::AttributeRefusal()
    : m_outer(g_collector)
{
    g_collector = this;
}

AttributeRefusal::~AttributeRefusal()
{
    g_collector = m_outer;
}

void
AttributeRefusal::Report(const std::string& reason)
{
    if (g_collector != nullptr)
    {
        g_collector->m_reason = reason;
        return;
    }
    std::cerr << "gpu-fabric: " << reason << std::endl;
}

} // namespace ns3
