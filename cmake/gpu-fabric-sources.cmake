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

gpu_fabric_glob(gpu_fabric_sources model/*/*.cc helper/*.cc)
gpu_fabric_glob(gpu_fabric_headers model/*/*.h helper/*.h)
# What needs mpi.h is named mpi-*, in model/; one file of helper/ asks whether it is there.
set(gpu_fabric_mpi OFF)
if(NOT GPU_FABRIC_STANDALONE AND ENABLE_MPI)
  set(gpu_fabric_mpi ON)
  set_property(
    SOURCE helper/mpi-session.cc
    APPEND
    PROPERTY COMPILE_DEFINITIONS GPU_FABRIC_HAS_MPI
  )
else()
  list(FILTER gpu_fabric_sources EXCLUDE REGEX "^model/.*/mpi-")
  list(FILTER gpu_fabric_headers EXCLUDE REGEX "^model/.*/mpi-")
endif()

gpu_fabric_glob(gpu_fabric_test_sources test/*-test.cc)
gpu_fabric_glob(gpu_fabric_benchmark_sources test/benchmark/*.cc)
gpu_fabric_glob(gpu_fabric_scenarios scenarios/*.yaml)

# The version stands in every result. One file sees it, so that a new one compiles little.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS VERSION)
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/VERSION gpu_fabric_version LIMIT_COUNT 1)
set_property(
  SOURCE helper/scenario-runner.cc
  APPEND
  PROPERTY COMPILE_DEFINITIONS GPU_FABRIC_VERSION="${gpu_fabric_version}"
)

# One test program stand-alone; in an ns-3 tree one TestSuite that runs the same tests.
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
