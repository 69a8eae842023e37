/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/nstime.h"
#include "ns3/test.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ns3
{
namespace tests
{

/** Runs the tests of one GoogleTest suite. */
class GpuFabricTestCase : public TestCase
{
  public:
    /**
     * \param suite The suite, owned by GoogleTest.
     * \param name The suite's name without the characters that ns-3 refuses.
     */
    GpuFabricTestCase(const testing::TestSuite* suite, const std::string& name)
        : TestCase(name),
          m_suite(suite)
    {
    }

  private:
    void DoRun() override
    {
        testing::GTEST_FLAG(filter) = std::string(m_suite->name()) + ".*";
        const int status = RUN_ALL_TESTS();
        for (int i = 0; i < m_suite->total_test_count(); ++i)
        {
            Report(*m_suite->GetTestInfo(i));
        }
        // Also reached by a failure outside any test, such as one of an Environment.
        NS_TEST_EXPECT_MSG_EQ(status, 0, "GoogleTest suite " << m_suite->name());
    }

    /**
     * Hand on the failures of one test, so that they stand in test.py's report.
     * \param test The test, after it has run.
     */
    void Report(const testing::TestInfo& test)
    {
        for (int i = 0; i < test.result()->total_part_count(); ++i)
        {
            const testing::TestPartResult& part = test.result()->GetTestPartResult(i);
            if (part.failed())
            {
                ReportTestFailure(std::string(test.test_suite_name()) + "." + test.name(),
                                  "failed",
                                  "passed",
                                  part.message(),
                                  part.file_name() ? part.file_name() : "",
                                  part.line_number());
            }
        }
    }

    const testing::TestSuite* m_suite; //!< Owned by GoogleTest.
};

/**
 * The module's GoogleTest suites as test cases of one ns-3 TestSuite.
 *
 * It sets the time resolution to picoseconds, for the whole process, and so must be the first
 * suite there that runs a simulation: `test.py` and `test-runner --suite=gpu-fabric` give each
 * suite a process of its own.
 */
class GpuFabricTestSuite : public TestSuite
{
  public:
    GpuFabricTestSuite()
        : TestSuite("gpu-fabric")
    {
    }

  private:
    void DoSetup() override
    {
        // Not in the constructor, which runs in every process that loads the test library, and
        // perhaps before the last of the tests has registered.
        Time::SetResolution(Time::PS);
        int argc = 1;
        char name[] = "gpu-fabric";
        char* argv[] = {name, nullptr};
        testing::InitGoogleTest(&argc, argv);

        const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
        for (int i = 0; i < unit.total_test_suite_count(); ++i)
        {
            const testing::TestSuite* suite = unit.GetTestSuite(i);
            std::string caseName = suite->name();
            std::replace(caseName.begin(), caseName.end(), '/', ':');
            AddTestCase(new GpuFabricTestCase(suite, caseName));
        }
    }
};

/** Registers the suite. */
static GpuFabricTestSuite g_gpuFabricTestSuite;

} // namespace tests
} // namespace ns3
