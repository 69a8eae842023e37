/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_TRACE_HELPER_H
#define GPU_FABRIC_FABRIC_TRACE_HELPER_H

#include "ns3/fabric-net-device.h"
#include "ns3/nstime.h"
#include "ns3/quantity.h"
#include "ns3/trace-helper.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

struct RoceFraming;

/// Which frames of a port go to a pcap file, and how much of each.
struct PcapSelection
{
    bool sent{true};        ///< frames that leave by the port
    bool received{true};    ///< frames that arrive at it
    Time from;              ///< first time stamp
    std::optional<Time> to; ///< first time stamp that is not included; not given: none
    ByteSize snapLength;    ///< kept of each frame; 0: all
};

/**
 * Pcap and ascii traces of the ports of a fabric, with the functions of ns-3's other device
 * helpers: EnablePcap, EnablePcapAll, EnableAscii, EnableAsciiAll. Devices of other kinds are
 * skipped.
 *
 * Pcap files contain Ethernet frames (DLT_EN10MB) with nanosecond timestamps: the start of
 * transmission for a frame that is sent, the arrival of the last bit for one that is received. PFC
 * frames are included, as a tap on the cable would see them. The file of a device is
 * PREFIX-NODE-DEVICE.pcap. In ascii traces '+' is MacTx, '-' PhyTxBegin, 'r' PhyRxEnd, 'd'
 * MacTxDrop and PhyRxDrop.
 *
 * Frames are shown as RoCEv2 defines them, even where HeaderBytes and AckBytes of RoceNic make the
 * simulation count other sizes. Every file stays open until the end: traces are meant for a few
 * ports and short runs.
 */
class FabricTraceHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    /// Why the frames of a NIC cannot be packets (a PathMtu above 65,472 bytes); empty if they can.
    static std::string FindFault(const RoceFraming& framing);
    /// Whether the packets of a NIC differ in size from its frames in the simulation.
    static bool IsForced(const RoceFraming& framing);
    /// The file name of a device: PREFIX-NODE-DEVICE.pcap.
    static std::string GetPcapName(const std::string& prefix, Ptr<NetDevice> device);

    /// Writes some frames of a port to a file, in promiscuous mode. \param file its whole name
    void EnableSelection(const std::string& file,
                         Ptr<FabricNetDevice> port,
                         const PcapSelection& selection);
    /// Closes the pcap files; further frames are lost.
    /// \returns whether all was written
    bool ClosePcap();

  private:
    /// A file for the frames of a port.
    Ptr<PcapFileWrapper> OpenPcap(const std::string& file,
                                  Ptr<FabricNetDevice> port,
                                  ByteSize snapLength);
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;

    std::vector<Ptr<PcapFileWrapper>> m_files;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_TRACE_HELPER_H
