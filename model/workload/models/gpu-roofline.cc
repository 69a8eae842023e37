/* SPDX-License-Identifier: GPL-2.0-only */
#include "gpu-roofline.h"

#include "../../base/enum-value.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("GpuRoofline");

NS_OBJECT_ENSURE_REGISTERED(GpuRoofline);

namespace
{

/// NVIDIA's data sheets: V100 (SXM2 32 GB), A100 (SXM 80 GB), H100 and H200 (SXM); dense rates.
const std::vector<GpuLimits>&
GetTable()
{
    static const std::vector<GpuLimits> table{
        {GpuType::A100, 312e12, 156e12, 19.5e12, 2.039e12},
        {GpuType::H100, 989.4e12, 494.7e12, 66.9e12, 3.35e12},
        {GpuType::H200, 989.4e12, 494.7e12, 66.9e12, 4.8e12},
        {GpuType::V100, 125e12, 0, 15.7e12, 0.9e12},
    };
    return table;
}

} // namespace

TypeId
GpuRoofline::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GpuRoofline")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<GpuRoofline>()
            .AddAttribute("MatrixEfficiency",
                          "Share of the matrix units' peak that products reach (fp16, tf32); "
                          "fitted on one V100.",
                          DoubleValue(0.61),
                          MakeDoubleAccessor(&GpuRoofline::m_matrixEfficiency),
                          MakeDoubleChecker<double>(0.001, 1))
            .AddAttribute("VectorEfficiency",
                          "Share of the ordinary units' peak that products reach (fp32); fitted "
                          "on one V100.",
                          DoubleValue(0.92),
                          MakeDoubleAccessor(&GpuRoofline::m_vectorEfficiency),
                          MakeDoubleChecker<double>(0.001, 1))
            .AddAttribute("MemoryEfficiency",
                          "Share of the memory's rate that kernels reach; fitted on one V100.",
                          DoubleValue(0.79),
                          MakeDoubleAccessor(&GpuRoofline::m_memoryEfficiency),
                          MakeDoubleChecker<double>(0.001, 1))
            .AddAttribute("StepLatency",
                          "Time of a recurrent layer's time step beside its product and its "
                          "element-wise part: start of kernels that wait for each other, products "
                          "too small for the whole GPU. A third of a step's forward and backward "
                          "pass. A reconstruction, fitted on GNMT on one V100 (NVIDIA "
                          "DeepLearningExamples).",
                          TimeValue(MicroSeconds(31)),
                          MakeTimeAccessor(&GpuRoofline::m_stepLatency),
                          MakeTimeChecker(Seconds(0), Seconds(1)))
            .AddAttribute(
                "Layout",
                "Order of the dimensions of images in memory: channels first makes the matrix "
                "units wait until input and output of a convolution are transposed (NVIDIA, "
                "\"Convolutional Layers User's Guide\"); usual is channels last with fp16 and "
                "channels first with tf32, as NVIDIA's examples train.",
                NameValue<ImageLayout>(ImageLayout::USUAL),
                MakeNameAccessor<ImageLayout>(&GpuRoofline::m_layout),
                MakeNameChecker<ImageLayout>());
    return tid;
}

const GpuLimits&
GpuRoofline::GetLimits(GpuType type)
{
    const std::vector<GpuLimits>& table = GetTable();
    const auto limits = std::find_if(table.begin(), table.end(), [type](const GpuLimits& gpu) {
        return gpu.type == type;
    });
    NS_ABORT_MSG_IF(limits == table.end(), "no data sheet of " << ToName(type));
    return *limits;
}

uint32_t
GpuRoofline::GetElementBytes(Precision precision)
{
    return precision == Precision::FP16 ? 2 : 4;
}

uint32_t
GpuRoofline::GetRowBytes(Precision precision)
{
    return precision == Precision::FP16 ? 48 : 28;
}

double
GpuRoofline::GetPeak(const GpuLimits& gpu, Precision precision)
{
    return precision == Precision::FP16   ? gpu.fp16Flops
           : precision == Precision::TF32 ? gpu.tf32Flops
                                          : gpu.fp32Flops;
}

bool
GpuRoofline::IsTransposed(Precision precision) const
{
    const bool first = m_layout == ImageLayout::CHANNELS_FIRST ||
                       (m_layout == ImageLayout::USUAL && precision == Precision::TF32);
    return first && precision != Precision::FP32;
}

int64_t
GpuRoofline::GetForwardPs(const GpuLimits& gpu,
                          Precision precision,
                          const ModelLayer& layer,
                          uint64_t samples,
                          uint32_t tensor,
                          uint32_t expert) const
{
    const double peak = GetPeak(gpu, precision);
    NS_ABORT_MSG_IF(peak <= 0, ToName(gpu.type) << " cannot do " << ToName(precision));
    const double flops =
        peak * (precision == Precision::FP32 ? m_vectorEfficiency : m_matrixEfficiency);
    const double elements = gpu.memoryRate * m_memoryEfficiency / GetElementBytes(precision);
    const double n = static_cast<double>(samples);
    double moved = static_cast<double>(layer.memoryElements) * n;
    if (layer.kind == LayerKind::CONVOLUTION && IsTransposed(precision))
    {
        // Input and output are read and written; the input is assumed to be about as large as the
        // output.
        moved += 4.0 * static_cast<double>(layer.activation) * n;
    }
    double seconds = moved / elements;
    // A third of an iteration, because the backward pass counts as two forward passes.
    seconds += static_cast<double>(layer.rowElements) * n * GetRowBytes(precision) / 3 /
               (gpu.memoryRate * m_memoryEfficiency);
    if (layer.forwardMacs > 0)
    {
        double weights =
            static_cast<double>(layer.parameters - layer.expertParameters + layer.tiedParameters) +
            static_cast<double>(layer.expertParameters) / expert;
        weights *= layer.kind == LayerKind::RECURRENT ? static_cast<double>(layer.steps) : 1;
        const double operands = weights + static_cast<double>(layer.activation) * n;
        seconds +=
            std::max(2 * static_cast<double>(layer.forwardMacs) * n / flops, operands / elements);
    }
    NS_LOG_LOGIC(layer.name << ": " << seconds / tensor << " s forward for " << samples
                            << " samples");
    return std::llround(seconds / tensor * 1e12) +
           static_cast<int64_t>(layer.steps) * m_stepLatency.GetPicoSeconds();
}

int64_t
GpuRoofline::GetKernelPs(const GpuLimits& gpu,
                         Precision precision,
                         uint64_t operations,
                         uint64_t bytes) const
{
    const double efficiency =
        precision == Precision::FP32 ? m_vectorEfficiency : m_matrixEfficiency;
    const double computing =
        static_cast<double>(operations) / (GetPeak(gpu, precision) * efficiency);
    const double moving = static_cast<double>(bytes) / (gpu.memoryRate * m_memoryEfficiency);
    return std::max<int64_t>(1, std::llround(std::max(computing, moving) * 1e12));
}

} // namespace ns3
