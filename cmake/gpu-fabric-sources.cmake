# SPDX-License-Identifier: GPL-2.0-only
#
# The files of the module, and whether its tests are built. Relative to the project, as ns-3's
# build_lib expects them.
function(gpu_fabric_glob variable)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(
    GLOB files
    RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
    CONFIGURE_DEPENDS ${ARGN}
  )
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

gpu_fabric_glob(gpu_fabric_sources model/*/*.cc model/*/*/*.cc helper/*.cc helper/app/*.cc)
# The public headers, which ns-3 programs include as ns3/NAME and which are installed. A public
# header includes public ones only (.ci/check-layers); all others are private to the module and
# are included by their relative path.
set(gpu_fabric_headers
    helper/fabric-helper.h
    helper/fabric-trace-helper.h
    helper/run-gpu-fabric.h
    model/base/counter-random.h
    model/base/enum-names.h
    model/base/quantity-value.h
    model/base/quantity.h
    model/collective/collective-algorithm.h
    model/collective/collective-schedule.h
    model/fabric/device/fabric-net-device.h
    model/fabric/device/fabric-trace-source.h
    model/fabric/fabric-fault.h
    model/fabric/fabric-records.h
    model/fabric/fabric.h
    model/fabric/frame-side.h
    model/fabric/switch/buffer-manager.h
    model/fabric/switch/ecn-marker.h
    model/fabric/switch/egress-scheduler.h
    model/fabric/switch/fabric-switch.h
    model/fabric/switch/path-selector.h
    model/placement/placement-policy.h
    model/rdma/congestion/rdma-congestion-control.h
    model/rdma/rdma-client.h
    model/rdma/rdma-records.h
    model/rdma/rdma-verbs.h
    model/rdma/roce-nic.h
    model/rdma/roce-transport.h
    model/results/recorder.h
    model/results/result-table.h
    model/scheduler/cluster-view.h
    model/scheduler/communication-scheduler.h
    model/scheduler/crux/gpu-intensity.h
    model/scheduler/job-order.h
    model/scheduler/level-compression.h
    model/scheduler/path-choice.h
    model/scheduler/scheduler-records.h
    model/topology/cluster-topology.h
    model/topology/host-layout.h
    model/topology/host-model.h
    model/topology/topology-generator.h
    model/workload/application/job-records.h
    model/workload/models/model-profile.h
    model/workload/models/training-model.h
    model/workload/program/tensor-schedule.h
    model/workload/training-options.h
)
# What needs mpi.h is named mpi-*, in model/; one file of helper/app/ asks whether it is there.
set(gpu_fabric_mpi OFF)
if(NOT GPU_FABRIC_STANDALONE AND ENABLE_MPI)
  set(gpu_fabric_mpi ON)
  set_property(
    SOURCE helper/app/mpi-session.cc
    APPEND
    PROPERTY COMPILE_DEFINITIONS GPU_FABRIC_HAS_MPI
  )
else()
  list(FILTER gpu_fabric_sources EXCLUDE REGEX "^model/.*/mpi-")
endif()

gpu_fabric_glob(gpu_fabric_test_sources test/*/*-test.cc)
list(FILTER gpu_fabric_test_sources EXCLUDE REGEX "^test/mpi/")
gpu_fabric_glob(gpu_fabric_benchmark_sources test/benchmark/*.cc)
gpu_fabric_glob(gpu_fabric_scenarios scenarios/*.yaml)

# The version stands in every result. One file sees it, so that a new one compiles little.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS VERSION)
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/VERSION gpu_fabric_version LIMIT_COUNT 1)
set_property(
  SOURCE helper/app/scenario-runner.cc
  APPEND
  PROPERTY COMPILE_DEFINITIONS GPU_FABRIC_VERSION="${gpu_fabric_version}"
)
# ns-3's release, one of the facts by which a sweep knows what has changed.
if(NOT GPU_FABRIC_STANDALONE)
  set(ns3_VERSION ${NS3_VER})
endif()
set_property(
  SOURCE helper/app/program-facts.cc
  APPEND
  PROPERTY COMPILE_DEFINITIONS GPU_FABRIC_NS3_VERSION="${ns3_VERSION}"
)

# Stand-alone one test program for each folder of test/; in an ns-3 tree one TestSuite that runs the same tests.
set(gpu_fabric_tests OFF)
set(gpu_fabric_ns3_test_sources)
if(GPU_FABRIC_STANDALONE)
  set(gpu_fabric_tests ${BUILD_TESTING})
elseif(ENABLE_TESTS)
  find_package(GTest QUIET)
  if(GTest_FOUND)
    set(gpu_fabric_tests ON)
    set(gpu_fabric_ns3_test_sources test/gpu-fabric-test-suite.cc ${gpu_fabric_test_sources})
  else()
    message(STATUS "gpu-fabric: no GoogleTest, so its tests are not built")
  endif()
endif()
