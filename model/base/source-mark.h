/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SOURCE_MARK_H
#define GPU_FABRIC_SOURCE_MARK_H

#include <string>

namespace ns3
{

/// A position in a user's file. Lines and columns count from 1; 0 means unknown.
struct SourceMark
{
    std::string file;
    int line{0};
    int column{0};
};

} // namespace ns3

#endif // GPU_FABRIC_SOURCE_MARK_H
