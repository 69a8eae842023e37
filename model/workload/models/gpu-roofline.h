/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GPU_ROOFLINE_H
#define GPU_FABRIC_GPU_ROOFLINE_H

#include "ns3/enum-names.h"
#include "ns3/model-profile.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Order of the dimensions of images in memory.
enum class ImageLayout : uint8_t
{
    USUAL, ///< channels last with fp16, channels first with tf32
    CHANNELS_FIRST,
    CHANNELS_LAST
};

template <>
struct EnumNames<ImageLayout>
{
    static constexpr EnumName<ImageLayout> TABLE[] = {
        {ImageLayout::USUAL, "usual"},
        {ImageLayout::CHANNELS_FIRST, "channels-first"},
        {ImageLayout::CHANNELS_LAST, "channels-last"}};
};

/// Limits of a GPU, from its data sheet.
struct GpuLimits
{
    GpuType type{GpuType::A100};
    double fp16Flops{0};  ///< matrix units, fp16 or bf16, dense [FLOP/s]
    double tf32Flops{0};  ///< matrix units, tf32, dense [FLOP/s]; 0: none
    double fp32Flops{0};  ///< non-matrix units [FLOP/s]
    double memoryRate{0}; ///< [byte/s]
};

/**
 * The compute time of a GPU, derived from its limits (Williams et al., "Roofline", CACM 2009).
 * Matrix products run at the peak, or at the rate at which memory supplies their operands if that
 * is slower. In addition there are the element-wise kernels at the memory's rate, one after the
 * other as frameworks run them, and, for matrix units, the transpositions of convolutions whose
 * images are stored channels first. Only a share of either limit is reached: the efficiencies,
 * fitted to measurements of one V100 and checked against one A100
 * (test/workload/gpu-roofline-test.cc prints each error). The backward pass takes twice the forward
 * pass.
 *
 * Recurrent layers read their weights in each time step, and each step takes a fixed time that no
 * rate shortens. Rows of embedding tables are kept in fp32; GetRowBytes() lists the passes over
 * them.
 *
 * Whatever tensor parallelism divides is divided exactly, element-wise kernels included, as with
 * sequence parallelism (Korthikanti et al., MLSys 2023).
 */
class GpuRoofline : public Object
{
  public:
    static TypeId GetTypeId();

    static const GpuLimits& GetLimits(GpuType type);
    /// Bytes per element of an activation: 2 with fp16, otherwise 4.
    static uint32_t GetElementBytes(Precision precision);

    /**
     * Bytes read and written per element of a looked-up row in an iteration: gather 8, gradient
     * times learning rate 8, its addition to the row 12; mixed precision also converts the rows (6)
     * and their gradients (6) and removes the loss scale from these (8). Kernels of NVIDIA
     * DeepLearningExamples (DLRM, several GPUs) with SGD.
     */
    static uint32_t GetRowBytes(Precision precision);

    /// Peak rate of products [FLOP/s]; 0 if the GPU does not support the precision.
    static double GetPeak(const GpuLimits& gpu, Precision precision);
    /**
     * Time of a layer's forward pass [ps].
     * \param gpu the GPU
     * \param precision supported by the GPU
     * \param layer the layer
     * \param samples samples in this pass
     * \param tensor GPUs that share the layer
     * \param expert GPUs that share the experts
     */
    int64_t GetForwardPs(const GpuLimits& gpu,
                         Precision precision,
                         const ModelLayer& layer,
                         uint64_t samples,
                         uint32_t tensor = 1,
                         uint32_t expert = 1) const;

    /**
     * Time of one kernel [ps], at least 1: that of its operations or of its memory accesses,
     * whichever is longer.
     * \param gpu the GPU
     * \param precision supported by the GPU
     * \param operations at most MAX_OPERATIONS [FLOP]
     * \param bytes read and written, at most MAX_BYTES [byte]
     */
    int64_t GetKernelPs(const GpuLimits& gpu,
                        Precision precision,
                        uint64_t operations,
                        uint64_t bytes) const;

    /// The most operations of a kernel [FLOP], so that its time fits with any efficiency.
    static constexpr uint64_t MAX_OPERATIONS = uint64_t{1} << 56;
    /// The same for its memory accesses [byte].
    static constexpr uint64_t MAX_BYTES = uint64_t{1} << 50;

  private:
    /// Whether convolutions transpose their images.
    bool IsTransposed(Precision precision) const;

    double m_matrixEfficiency{0};
    double m_vectorEfficiency{0};
    double m_memoryEfficiency{0};
    Time m_stepLatency;
    ImageLayout m_layout{ImageLayout::USUAL};
};

} // namespace ns3

#endif // GPU_FABRIC_GPU_ROOFLINE_H
