/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-readings.h"

#include <algorithm>

namespace ns3
{

namespace
{

template <typename T>
void
Add(std::vector<T>& sum, const std::vector<T>& other)
{
    sum.resize(std::max(sum.size(), other.size()));
    for (std::size_t i = 0; i < other.size(); ++i)
    {
        sum[i] += other[i];
    }
}

} // namespace

LinkCounters&
LinkCounters::operator+=(const LinkCounters& other)
{
    frames += other.frames;
    bytes += other.bytes;
    markedFrames += other.markedFrames;
    droppedFrames += other.droppedFrames;
    busyPs += other.busyPs;
    pausedPs += other.pausedPs;
    queueBytes += other.queueBytes;
    return *this;
}

FabricTotals&
FabricTotals::operator+=(const FabricTotals& other)
{
    sent += other.sent;
    delivered += other.delivered;
    dropped += other.dropped;
    hops += other.hops;
    pfcFrames += other.pfcFrames;
    losslessDrops += other.losslessDrops;
    xoff += other.xoff;
    xon += other.xon;
    refreshes += other.refreshes;
    markedFrames += other.markedFrames;
    faultDrops += other.faultDrops;
    cutFrames += other.cutFrames;
    return *this;
}

FabricReadings&
FabricReadings::operator+=(const FabricReadings& other)
{
    totals += other.totals;
    Add(links, other.links);
    Add(sentPauses, other.sentPauses);
    Add(sentPfcFrames, other.sentPfcFrames);
    Add(bufferPeaks, other.bufferPeaks);
    jobs.insert(jobs.end(), other.jobs.begin(), other.jobs.end());
    return *this;
}

FabricAudit&
FabricAudit::operator+=(const FabricAudit& other)
{
    framesInUse += other.framesInUse;
    frames += other.frames;
    pfcFrames += other.pfcFrames;
    paused += other.paused;
    Add(bufferUsed, other.bufferUsed);
    Add(bufferHeld, other.bufferHeld);
    return *this;
}

} // namespace ns3
