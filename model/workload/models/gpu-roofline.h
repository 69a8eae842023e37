/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GPU_ROOFLINE_H
#define GPU_FABRIC_GPU_ROOFLINE_H

#include "ns3/model-profile.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Limits of a GPU, as its data sheet has them.
struct GpuLimits
{
    std::string name;
    double fp16Flops{0};  ///< matrix units, fp16 or bf16, dense [FLOP/s]
    double tf32Flops{0};  ///< matrix units, tf32, dense [FLOP/s]; 0: none
    double fp32Flops{0};  ///< ordinary units [FLOP/s]
    double memoryRate{0}; ///< [byte/s]
};

/**
 * How long a GPU computes, from its limits (Williams et al., "Roofline", CACM 2009): matrix
 * products at the peak, or as fast as memory gives their operands if that is slower; beside them
 * the element-wise kernels at the memory's rate, one after the other, as frameworks run them, and
 * the transposes of convolutions whose images are stored channels first for matrix units. A
 * share of either limit is reached: the efficiencies, fitted on measurements of one V100 and
 * checked on one A100 (test/workload/gpu-roofline-test.cc prints each error). The backward pass
 * takes twice the forward pass.
 *
 * Recurrent layers read their weights in each time step, and a step takes a time that no rate
 * shortens. Rows of embedding tables are kept in fp32; GetRowBytes() has their passes.
 *
 * What tensor parallelism divides is divided exactly, element-wise kernels included, as with
 * sequence parallelism (Korthikanti et al., MLSys 2023).
 */
class GpuRoofline : public Object
{
  public:
    static TypeId GetTypeId();

    /// The limits of a GPU; null where there is none of that name.
    static const GpuLimits* FindGpu(const std::string& name);
    /// "A100", ..., sorted.
    static std::vector<std::string> GetNames();
    /// Bytes of an activation: 2 with fp16, else 4.
    static uint32_t GetElementBytes(Precision precision);

    /**
     * Bytes read and written for an element of a row that is looked up, in an iteration: gather 8,
     * gradient times learning rate 8, its addition to the row 12; mixed precision also converts the
     * rows (6) and their gradients (6) and takes the loss scale out of these (8). Kernels of NVIDIA
     * DeepLearningExamples (DLRM, several GPUs) with SGD.
     */
    static uint32_t GetRowBytes(Precision precision);

    /// Peak rate of products [FLOP/s]; 0: the GPU cannot.
    static double GetPeak(const GpuLimits& gpu, Precision precision);
    /**
     * Time of a layer's forward pass [ps].
     * \param gpu the GPU
     * \param precision one that the GPU can do
     * \param layer the layer
     * \param samples samples of this pass
     * \param tensor GPUs that share the layer
     * \param expert GPUs that share the experts
     */
    int64_t GetForwardPs(const GpuLimits& gpu,
                         Precision precision,
                         const ModelLayer& layer,
                         uint64_t samples,
                         uint32_t tensor = 1,
                         uint32_t expert = 1) const;

  private:
    /// Whether convolutions transpose their images.
    bool IsTransposed(Precision precision) const;

    double m_matrixEfficiency{0};
    double m_vectorEfficiency{0};
    double m_memoryEfficiency{0};
    uint64_t m_stepLatency{0};
    std::string m_layout;
};

} // namespace ns3

#endif // GPU_FABRIC_GPU_ROOFLINE_H
