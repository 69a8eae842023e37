/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric-trace-helper.h"

#include "../model/rdma/wire/frame-codec.h"
#include "../model/rdma/wire/roce-framing.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/roce-nic.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricTraceHelper");

namespace
{

/// Writes a packet of [from, to).
void
WriteWithin(Ptr<PcapFileWrapper> file, Time from, std::optional<Time> to, Ptr<const Packet> packet)
{
    const Time now = Simulator::Now();
    if (now >= from && (!to || now < *to))
    {
        file->Write(now, packet);
    }
}

} // namespace

std::string
FabricTraceHelper::FindFault(const RoceFraming& framing)
{
    if (framing.mtu <= FrameCodec::MAX_PAYLOAD)
    {
        return "";
    }
    return "a frame with PathMtu = " + std::to_string(framing.mtu) +
           " bytes is no IP packet: with packets it is at most " +
           std::to_string(FrameCodec::MAX_PAYLOAD);
}

bool
FabricTraceHelper::IsForced(const RoceFraming& framing)
{
    return framing.headerBytes != 0 || framing.ackBytes != 0 || framing.telemetryBytes != 0;
}

std::string
FabricTraceHelper::GetPcapName(const std::string& prefix, Ptr<NetDevice> device)
{
    return PcapHelper().GetFilenameFromDevice(prefix, device);
}

void
FabricTraceHelper::EnablePcapInternal(std::string prefix,
                                      Ptr<NetDevice> device,
                                      bool promiscuous,
                                      bool explicitFilename)
{
    Ptr<FabricNetDevice> port = DynamicCast<FabricNetDevice>(device);
    if (!port)
    {
        NS_LOG_INFO("not a port of a fabric: " << device);
        return;
    }
    Ptr<PcapFileWrapper> file =
        OpenPcap(explicitFilename ? prefix : GetPcapName(prefix, device), port, ByteSize());
    PcapHelper().HookDefaultSink<FabricNetDevice>(port,
                                                  promiscuous ? "PromiscSniffer" : "Sniffer",
                                                  file);
}

void
FabricTraceHelper::EnableSelection(const std::string& file,
                                   Ptr<FabricNetDevice> port,
                                   const PcapSelection& selection)
{
    Ptr<PcapFileWrapper> pcap = OpenPcap(file, port, selection.snapLength);
    const auto sink = MakeBoundCallback(&WriteWithin, pcap, selection.from, selection.to);
    if (selection.sent)
    {
        port->TraceConnectWithoutContext("PhyTxBegin", sink);
    }
    if (selection.received)
    {
        port->TraceConnectWithoutContext("PhyRxEnd", sink);
    }
}

Ptr<PcapFileWrapper>
FabricTraceHelper::OpenPcap(const std::string& name, Ptr<FabricNetDevice> port, ByteSize snapLength)
{
    if (Ptr<RoceNic> nic = DynamicCast<RoceNic>(port))
    {
        const std::string fault = FindFault(nic->GetFraming());
        NS_ABORT_MSG_IF(!fault.empty(), fault);
        if (IsForced(nic->GetFraming()))
        {
            NS_LOG_WARN("HeaderBytes, AckBytes and the telemetry of congestion control are not "
                        "seen in packets, which are true RoCEv2");
        }
    }
    Ptr<PcapFileWrapper> file =
        PcapHelper().CreateFile(name, std::ios::out, PcapHelper::DLT_EN10MB);
    // A frame may last less than 100 ns. The header is written again, with the other magic number.
    file->SetAttribute("NanosecMode", BooleanValue(true));
    if (snapLength.Get() > 0)
    {
        file->Init(PcapHelper::DLT_EN10MB, static_cast<uint32_t>(snapLength.Get()));
    }
    else
    {
        file->Init(PcapHelper::DLT_EN10MB);
    }
    m_files.push_back(file);
    return file;
}

bool
FabricTraceHelper::ClosePcap()
{
    bool good = true;
    for (const auto& file : m_files)
    {
        file->Close();
        good = good && !file->Fail();
    }
    m_files.clear();
    return good;
}

void
FabricTraceHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                       std::string prefix,
                                       Ptr<NetDevice> device,
                                       bool explicitFilename)
{
    Ptr<FabricNetDevice> port = DynamicCast<FabricNetDevice>(device);
    if (!port)
    {
        NS_LOG_INFO("not a port of a fabric: " << device);
        return;
    }
    Packet::EnablePrinting();
    AsciiTraceHelper helper;
    if (!stream)
    {
        stream = helper.CreateFileStream(
            explicitFilename ? prefix : helper.GetFilenameFromDevice(prefix, device));
        helper.HookDefaultEnqueueSinkWithoutContext<FabricNetDevice>(port, "MacTx", stream);
        helper.HookDefaultDequeueSinkWithoutContext<FabricNetDevice>(port, "PhyTxBegin", stream);
        helper.HookDefaultReceiveSinkWithoutContext<FabricNetDevice>(port, "PhyRxEnd", stream);
        helper.HookDefaultDropSinkWithoutContext<FabricNetDevice>(port, "MacTxDrop", stream);
        helper.HookDefaultDropSinkWithoutContext<FabricNetDevice>(port, "PhyRxDrop", stream);
        return;
    }
    // A stream shared by several devices: each line names its device.
    const std::string path = "/NodeList/" + std::to_string(device->GetNode()->GetId()) +
                             "/DeviceList/" + std::to_string(device->GetIfIndex()) +
                             "/$ns3::FabricNetDevice/";
    helper.HookDefaultEnqueueSinkWithContext<FabricNetDevice>(port,
                                                              path + "MacTx",
                                                              "MacTx",
                                                              stream);
    helper.HookDefaultDequeueSinkWithContext<FabricNetDevice>(port,
                                                              path + "PhyTxBegin",
                                                              "PhyTxBegin",
                                                              stream);
    helper.HookDefaultReceiveSinkWithContext<FabricNetDevice>(port,
                                                              path + "PhyRxEnd",
                                                              "PhyRxEnd",
                                                              stream);
    for (const std::string drop : {"MacTxDrop", "PhyRxDrop"})
    {
        helper.HookDefaultDropSinkWithContext<FabricNetDevice>(port, path + drop, drop, stream);
    }
}

} // namespace ns3
