/* SPDX-License-Identifier: GPL-2.0-only */
#include "fault-spec.h"

namespace ns3
{

const std::vector<std::string>&
FaultSpec::GetFrameNames()
{
    static const std::vector<std::string> names{"data", "pause", "ack", "cnp", "nak"};
    return names;
}

} // namespace ns3
