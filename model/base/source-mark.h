/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SOURCE_MARK_H
#define GPU_FABRIC_SOURCE_MARK_H

#include <string>

namespace ns3
{

/// Where in a user's file something stands. Lines and columns count from 1; 0: unknown.
struct SourceMark
{
    std::string file;
    int line{0};
    int column{0};
};

} // namespace ns3

#endif // GPU_FABRIC_SOURCE_MARK_H
