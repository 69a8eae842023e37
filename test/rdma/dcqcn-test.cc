/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/congestion/dcqcn.h"
#include "../fixture/network-fixture.h"
#include "../fixture/send-frame.h"

#include "ns3/counter-random.h"

#include <cmath>

namespace ns3
{

class DcqcnTest : public NetworkFixture
{
  protected:
    static constexpr double GBPS = 1e9;

    static Ptr<Dcqcn> MakePreset(const std::string& preset)
    {
        return CreateObjectWithAttributes<Dcqcn>("Preset", StringValue(preset));
    }

    /// What follows from the paper's equations is tested with the paper's parameters.
    static DcqcnParameters Paper()
    {
        return MakePreset("paper")->GetParameters(100 * G);
    }

    /// Timer only, so that the stages follow from the time alone.
    static DcqcnParameters TimerOnly()
    {
        DcqcnParameters parameters = Paper();
        parameters.byteCounter = 0;
        return parameters;
    }
};

TEST_F(DcqcnTest, VectorOfTwoCnps)
{
    // 100 Gb/s, CNPs at 0 and 50 us only (rocev2.md, section 3).
    DcqcnController controller(Paper(), 100 * G);
    EXPECT_EQ(controller.GetRate(0), 100 * GBPS);
    controller.OnCnp(0);
    EXPECT_EQ(controller.GetRate(0), 50 * GBPS);
    EXPECT_EQ(controller.GetTargetRate(0), 100 * GBPS);
    controller.OnCnp(50 * US);
    EXPECT_EQ(controller.GetRate(50 * US), 25 * GBPS);
    EXPECT_EQ(controller.GetRate(105 * US - 1), 25 * GBPS);

    struct Row
    {
        int64_t us;
        double rate;
    };

    const Row rows[] = {{105, 37.5},
                        {160, 43.75},
                        {215, 46.875},
                        {270, 48.4375},
                        {325, 49.23875},
                        {380, 49.659375}};
    for (const Row& row : rows)
    {
        EXPECT_NEAR(controller.GetRate(row.us * US) / GBPS, row.rate, 1e-12) << row.us;
    }
    EXPECT_NEAR(controller.GetTargetRate(380 * US) / GBPS, 50.08, 1e-12);
    EXPECT_NEAR(controller.GetAlpha(380 * US), std::pow(255.0 / 256, 6), 1e-15);
    EXPECT_NEAR(controller.GetAlpha(380 * US), 0.97679, 0.000005);
}

TEST_F(DcqcnTest, TargetAt325)
{
    DcqcnController controller(Paper(), 100 * G);
    controller.OnCnp(0);
    controller.OnCnp(50 * US);
    EXPECT_NEAR(controller.GetTargetRate(325 * US) / GBPS, 50.04, 1e-12);
}

TEST_F(DcqcnTest, RecoveryFromOneCnp)
{
    // RC 50, RT 100: 75, 87.5, 93.75, 96.875, then one additive step: 98.4375 with the target held
    // at line rate, (100.04 + 96.875) / 2 = 98.4575 without.
    for (bool clamp : {true, false})
    {
        DcqcnParameters parameters = Paper();
        parameters.clampTargetRate = clamp;
        DcqcnController controller(parameters, 100 * G);
        controller.OnCnp(0);
        const double rates[] = {75, 87.5, 93.75, 96.875, clamp ? 98.4375 : 98.4575};
        for (int i = 0; i < 5; ++i)
        {
            EXPECT_NEAR(controller.GetRate((i + 1) * 55 * US) / GBPS, rates[i], 1e-12) << i;
        }
        // Neither ever sends faster than the line.
        EXPECT_LE(controller.GetRate(100 * MS), 100 * GBPS);
        EXPECT_EQ(controller.GetRate(100 * MS), 100 * GBPS);
    }
}

TEST_F(DcqcnTest, Alpha)
{
    DcqcnController controller(Paper(), 100 * G);
    EXPECT_EQ(controller.GetAlpha(0), 1.0);
    // Before the first CNP alpha does not decay: the first one halves the rate.
    controller.GetRate(10 * MS);
    controller.OnCnp(10 * MS);
    EXPECT_EQ(controller.GetRate(10 * MS), 50 * GBPS);
    EXPECT_EQ(controller.GetAlpha(10 * MS), 1.0);
    int64_t end = 10 * MS + 177 * 55 * US;
    EXPECT_NEAR(controller.GetAlpha(end - 1), std::pow(255.0 / 256, 176), 1e-12);
    EXPECT_NEAR(controller.GetAlpha(end), 0.500, 0.0005);
    // A CNP then cuts by a quarter: RC (1 - alpha / 2), and alpha moves up by g (1 - alpha).
    double alpha = controller.GetAlpha(end);
    double rate = controller.GetRate(end);
    controller.OnCnp(end);
    EXPECT_NEAR(controller.GetRate(end), rate * (1 - alpha / 2), 1);
    EXPECT_NEAR(controller.GetAlpha(end), alpha + (1 - alpha) / 256, 1e-12);
    EXPECT_NEAR(controller.GetTargetRate(end), rate, 1);
}

TEST_F(DcqcnTest, ACnpResetsBothTimersAndCounts)
{
    DcqcnController controller(Paper(), 100 * G);
    controller.OnCnp(0);
    controller.OnCnp(54 * US);
    EXPECT_EQ(controller.GetRate(108 * US), 25 * GBPS);
    EXPECT_EQ(controller.GetAlpha(108 * US), 1.0);
    EXPECT_EQ(controller.GetRate(109 * US), 37.5 * GBPS);
    EXPECT_LT(controller.GetAlpha(109 * US), 1.0);
    // Five steps of recovery again after a CNP, not one: 4 x 55 us later the target is still RT.
    controller.OnCnp(600 * US);
    double target = controller.GetTargetRate(600 * US);
    EXPECT_EQ(controller.GetTargetRate((600 + 4 * 55) * US), target);
    EXPECT_EQ(controller.GetTargetRate((600 + 5 * 55) * US), target + 0.04 * GBPS);
}

TEST_F(DcqcnTest, ByteCounter)
{
    // 10 MB without the timer: an increase for each, as the timer's.
    DcqcnParameters parameters = Paper();
    parameters.ratePeriodPs = 1'000 * MS;
    DcqcnController controller(parameters, 100 * G);
    controller.OnCnp(0);
    controller.OnCnp(1);
    EXPECT_EQ(controller.GetRate(1), 25 * GBPS);
    const double rates[] = {37.5, 43.75, 46.875, 48.4375, 49.23875, 49.659375};
    for (int i = 0; i < 6; ++i)
    {
        for (int k = 0; k < 9'999; ++k)
        {
            SendFrame(controller, 2, 1000);
        }
        double before = i == 0 ? 25 : rates[i - 1];
        EXPECT_NEAR(controller.GetRate(2) / GBPS, before, 1e-12);
        SendFrame(controller, 2, 1000);
        EXPECT_NEAR(controller.GetRate(2) / GBPS, rates[i], 1e-12);
    }
    // What is left over counts on: 15 MB are one event, 5 MB more the second.
    DcqcnController other(parameters, 100 * G);
    other.OnCnp(0);
    SendFrame(other, 1, 15'000'000);
    EXPECT_EQ(other.GetRate(1), 75 * GBPS);
    SendFrame(other, 1, 5'000'000);
    EXPECT_EQ(other.GetRate(1), 87.5 * GBPS);
    // A CNP forgets it.
    SendFrame(other, 1, 9'999'999);
    other.OnCnp(2);
    double rate = other.GetRate(2);
    SendFrame(other, 3, 9'999'999);
    EXPECT_EQ(other.GetRate(3), rate);
}

TEST_F(DcqcnTest, HyperIncreaseCountsItsEvents)
{
    // F = 1, timer alone: T = 1 additive, then min(T, BC) > F: RT += i x R_HAI, i = 1, 2, 3.
    DcqcnParameters parameters = TimerOnly();
    parameters.fastRecoverySteps = 1;
    parameters.hyperIncreaseBps = 400e6;
    DcqcnController controller(parameters, 100 * G);
    controller.OnCnp(0);
    controller.OnCnp(1);
    controller.OnCnp(2);
    ASSERT_EQ(controller.GetRate(2), 12.5 * GBPS);
    double target = 25;
    double rate = 12.5;
    const double steps[] = {0.04, 0.4, 0.8, 1.2, 1.6};
    for (int i = 0; i < 5; ++i)
    {
        target += steps[i];
        rate = (rate + target) / 2;
        int64_t at = 2 + (i + 1) * 55 * US;
        EXPECT_NEAR(controller.GetTargetRate(at) / GBPS, target, 1e-12) << i;
        EXPECT_NEAR(controller.GetRate(at) / GBPS, rate, 1e-12) << i;
    }
    // A CNP starts i afresh.
    controller.OnCnp(300 * US);
    target = controller.GetTargetRate(300 * US) / GBPS;
    EXPECT_NEAR(controller.GetTargetRate(300 * US + 110 * US) / GBPS, target + 0.44, 1e-12);
}

TEST_F(DcqcnTest, HyperIncreaseNeedsBothCounters)
{
    // max(T, BC) >= F: additive. Only once both are beyond F: hyper.
    DcqcnParameters parameters = Paper();
    parameters.fastRecoverySteps = 2;
    parameters.hyperIncreaseBps = 400e6;
    DcqcnController controller(parameters, 100 * G);
    for (int i = 0; i < 4; ++i)
    {
        controller.OnCnp(i);
    }
    int64_t start = 3;
    auto step = [&](int timer) { return controller.GetTargetRate(start + timer * 55 * US) / GBPS; };
    EXPECT_NEAR(step(0), 12.5, 1e-12);
    EXPECT_NEAR(step(1), 12.5, 1e-12);  // T 1: recovery
    EXPECT_NEAR(step(2), 12.54, 1e-12); // T 2: additive
    EXPECT_NEAR(step(5), 12.66, 1e-12); // T 5, BC 0: still additive
    SendFrame(controller, start + 5 * 55 * US, 20'000'000);
    EXPECT_NEAR(step(5), 12.74, 1e-12); // BC 1 and 2: additive
    SendFrame(controller, start + 5 * 55 * US, 10'000'000);
    EXPECT_NEAR(step(5), 13.14, 1e-12); // BC 3: hyper, i = 1
    EXPECT_NEAR(step(6), 13.94, 1e-12); // T 6: i = 2
}

TEST_F(DcqcnTest, TheTargetIsKeptOverASeriesOfCnps)
{
    // As the peers' model does: R_T stays where it was before the series, until an increase.
    DcqcnParameters parameters = TimerOnly();
    parameters.keepTargetRate = true;
    DcqcnController controller(parameters, 100 * G);
    controller.OnCnp(0);
    controller.OnCnp(10);
    controller.OnCnp(20);
    EXPECT_EQ(controller.GetRate(20), 12.5 * GBPS);
    EXPECT_EQ(controller.GetTargetRate(20), 100 * GBPS);
    EXPECT_EQ(controller.GetRate(20 + 55 * US), 56.25 * GBPS);
    controller.OnCnp(21 + 55 * US);
    EXPECT_EQ(controller.GetTargetRate(21 + 55 * US), 56.25 * GBPS);
}

TEST_F(DcqcnTest, ATargetThatIsFarAboveIsLowered)
{
    // IEEE 802.1Qau: more than ten times R_C at the first increase, it is divided by eight.
    for (int cnps : {3, 4})
    {
        DcqcnParameters parameters = TimerOnly();
        parameters.keepTargetRate = true;
        parameters.lowerTargetRate = true;
        DcqcnController controller(parameters, 100 * G);
        for (int i = 0; i < cnps; ++i)
        {
            controller.OnCnp(0);
        }
        // 12.5 of 100 Gb/s is an eighth, 6.25 a sixteenth.
        const double target = cnps == 3 ? 100 * GBPS : 12.5 * GBPS;
        EXPECT_EQ(controller.GetTargetRate(55 * US - 1), 100 * GBPS);
        EXPECT_EQ(controller.GetTargetRate(55 * US), target);
        EXPECT_EQ(controller.GetRate(55 * US), (cnps == 3 ? 56.25 : 9.375) * GBPS);
        // Not at later ones.
        EXPECT_EQ(controller.GetTargetRate(110 * US), target);
    }
}

TEST_F(DcqcnTest, PacingIsThatOfTheRateBeforeTheFrame)
{
    DcqcnController controller(Paper(), 100 * G);
    EXPECT_EQ(SendFrame(controller, 0, 1000), 0); // line rate: the port is the limit
    controller.OnCnp(0);
    EXPECT_EQ(SendFrame(controller, 1, 1000), 160'000); // 50 Gb/s
    EXPECT_EQ(SendFrame(controller, 2, 1'500), 240'000);
}

TEST_F(DcqcnTest, NeverBelowTheLeastRate)
{
    DcqcnController controller(Paper(), 100 * G);
    for (int i = 0; i < 100; ++i)
    {
        controller.OnCnp(i);
    }
    EXPECT_EQ(controller.GetRate(100), 100e6);
    EXPECT_EQ(SendFrame(controller, 100, 1000), 80'000'000);
}

TEST_F(DcqcnTest, LookedAtSeldomIsLookedAtOften)
{
    // The same CNPs and frames; one controller is also looked at every microsecond, one at random
    // times, one never. Their states must have the same bits.
    for (uint64_t run = 0; run < 30; ++run)
    {
        DcqcnParameters parameters = run % 3 == 0   ? Paper()
                                     : run % 3 == 1 ? TimerOnly()
                                                    : MakePreset("paper")->GetParameters(25 * G);
        if (run % 3 == 2)
        {
            parameters.byteCounter = 200'000;
            parameters.fastRecoverySteps = 2;
            parameters.alphaPeriodPs = 7 * US;
        }
        parameters.clampTargetRate = run % 2 == 0;
        DcqcnController often(parameters, 100 * G);
        DcqcnController sometimes(parameters, 100 * G);
        DcqcnController never(parameters, 100 * G);
        int64_t now = 0;
        for (uint64_t event = 0; event < 400; ++event)
        {
            int64_t gap = 1 + static_cast<int64_t>(CounterRandom(run, 1, event) % (40 * US));
            for (int64_t t = now / US * US + US; t < now + gap; t += US)
            {
                often.GetRate(t);
            }
            if (event % 3 == 0)
            {
                sometimes.GetAlpha(now + CounterRandom(run, 2, event) % gap);
            }
            now += gap;
            if (CounterRandom(run, 3, event) % 12 == 0)
            {
                often.OnCnp(now);
                sometimes.OnCnp(now);
                never.OnCnp(now);
            }
            else
            {
                auto bytes = static_cast<uint32_t>(CounterRandom(run, 4, event) % 100'000);
                int64_t a = SendFrame(often, now, bytes);
                ASSERT_EQ(SendFrame(sometimes, now, bytes), a);
                ASSERT_EQ(SendFrame(never, now, bytes), a);
            }
        }
        ASSERT_EQ(often.GetRate(now), never.GetRate(now));
        ASSERT_EQ(often.GetRate(now), sometimes.GetRate(now));
        ASSERT_EQ(often.GetAlpha(now), never.GetAlpha(now));
        ASSERT_EQ(often.GetAlpha(now), sometimes.GetAlpha(now));
        ASSERT_EQ(often.GetTargetRate(now), never.GetTargetRate(now));
    }
}

TEST_F(DcqcnTest, AfterALongIdleTime)
{
    // An hour without a frame: back at line rate, alpha gone, and the next CNP cuts next to
    // nothing.
    DcqcnController controller(Paper(), 100 * G);
    controller.OnCnp(0);
    controller.OnCnp(1);
    int64_t hour = 3'600'000 * MS;
    EXPECT_EQ(controller.GetRate(hour), 100 * GBPS);
    EXPECT_LT(controller.GetAlpha(hour), 1e-29);
    EXPECT_EQ(SendFrame(controller, hour, 1000), 0);
    controller.OnCnp(hour);
    EXPECT_NEAR(controller.GetRate(hour), 100 * GBPS, 1);
    EXPECT_NEAR(controller.GetAlpha(hour), 1.0 / 256, 1e-12);
    // And its timers start from there.
    EXPECT_EQ(controller.GetAlpha(hour + 55 * US - 1), controller.GetAlpha(hour));
    EXPECT_LT(controller.GetAlpha(hour + 55 * US), 1.0 / 256);
}

TEST_F(DcqcnTest, TheDefaultGrowsWithTheRate)
{
    // 32 Mb/s at 40 Gb/s, of which the paper has 40.
    auto control = CreateObject<Dcqcn>();
    EXPECT_EQ(control->GetParameters(40 * G).additiveIncreaseBps, 32e6);
    EXPECT_EQ(control->GetParameters(40 * G).byteCounter, 30'000u);
    for (uint64_t rate : {25u, 100u, 800u})
    {
        const DcqcnParameters p = control->GetParameters(rate * G);
        EXPECT_EQ(p.additiveIncreaseBps, rate * 0.8e6);
        EXPECT_EQ(p.hyperIncreaseBps, rate * 5e6);
        EXPECT_EQ(p.hyperIncreaseLimit, 1u);
        EXPECT_EQ(p.minRateBps, rate * 1e6);
        EXPECT_EQ(p.byteCounter, rate * 750);
        EXPECT_EQ(p.g, 1.0 / 64);
        EXPECT_EQ(p.alphaPeriodPs, 55 * US);
        EXPECT_EQ(p.ratePeriodPs, 55 * US);
        EXPECT_EQ(p.cnpIntervalPs, 20 * US);
        EXPECT_EQ(p.decreaseIntervalPs, 0);
        EXPECT_EQ(p.fastRecoverySteps, 5u);
        EXPECT_TRUE(p.keepTargetRate);
        EXPECT_TRUE(p.lowerTargetRate);
        EXPECT_FALSE(p.periodic);
    }
    const EcnProfile ecn = control->GetEcnProfile();
    EXPECT_EQ(ecn.kminBytes, 25'000u);
    EXPECT_EQ(ecn.kmaxBytes, 1'000'000u);
    EXPECT_EQ(ecn.pmax, 1);
    EXPECT_EQ(ecn.referenceRateBps, 100 * G);
}

TEST_F(DcqcnTest, AHalvedFlowHasItsRateBackInAMillisecond)
{
    // R_C and R_T at half the rate, alpha 1: what is left of the first CNPs, at any rate. Frames of
    // 4,178 bytes, each as late as its rate demands.
    for (uint64_t rate : {25u, 50u, 100u, 200u, 400u, 800u})
    {
        auto control = CreateObject<Dcqcn>();
        DcqcnParameters parameters = control->GetParameters(rate * G);
        parameters.minRateBps = rate * 0.5e9;
        parameters.keepTargetRate = false; // the second of two CNPs sets R_T to R_C
        DcqcnController controller(parameters, rate * G);
        controller.OnCnp(0);
        controller.OnCnp(0);
        ASSERT_EQ(controller.GetRate(0), rate * 0.5e9);
        ASSERT_EQ(controller.GetTargetRate(0), rate * 0.5e9);
        int64_t now = 0;
        while (controller.GetRate(now) < 0.95 * rate * 1e9)
        {
            now += std::max(SendFrame(controller, now, 4'178),
                            static_cast<int64_t>(4'178 * 8'000 / rate));
        }
        EXPECT_LT(now, MS) << rate;
        EXPECT_GT(now, 800 * US) << rate;
    }
}

TEST_F(DcqcnTest, Presets)
{
    auto control = MakePreset("paper");
    DcqcnParameters p = control->GetParameters(400 * G);
    EXPECT_EQ(p.g, 1.0 / 256);
    EXPECT_EQ(p.alphaPeriodPs, 55 * US);
    EXPECT_EQ(p.cnpIntervalPs, 50 * US);
    EXPECT_EQ(control->GetFeedback().cnpIntervalPs, 50 * US);
    EXPECT_EQ(p.ratePeriodPs, 55 * US);
    EXPECT_EQ(p.byteCounter, 10'000'000u);
    EXPECT_EQ(p.fastRecoverySteps, 5u);
    EXPECT_EQ(p.additiveIncreaseBps, 40e6);
    EXPECT_EQ(p.hyperIncreaseBps, 40e6);
    EXPECT_TRUE(p.clampTargetRate);

    EXPECT_DEATH(control->SetAttribute("Preset", StringValue("connect")),
                 "\"connect\" is not one of: scaled, paper, hpcc, hpcc-i, connectx");

    control->SetAttribute("Preset", StringValue("hpcc"));
    p = control->GetParameters(100 * G);
    EXPECT_EQ(p.g, 1.0 / 256);
    EXPECT_EQ(p.alphaPeriodPs, 1 * US);
    EXPECT_EQ(control->GetFeedback().cnpIntervalPs, 1 * US);
    EXPECT_EQ(p.ratePeriodPs, 300 * US);
    EXPECT_EQ(p.byteCounter, 0u);
    EXPECT_EQ(p.fastRecoverySteps, 2u);
    EXPECT_EQ(p.hyperIncreaseLimit, 1u);
    EXPECT_TRUE(p.periodic);
    // AI 5 and HAI 50 Mb/s for each 25 Gb/s: 20/200 at 100G, 80/800 at 400G.
    EXPECT_EQ(p.additiveIncreaseBps, 20e6);
    EXPECT_EQ(p.hyperIncreaseBps, 200e6);
    EXPECT_EQ(p.minRateBps, 1e9);
    EXPECT_TRUE(p.keepTargetRate);
    p = control->GetParameters(400 * G);
    EXPECT_EQ(p.minRateBps, 1e9);
    EXPECT_EQ(p.additiveIncreaseBps, 80e6);
    EXPECT_EQ(p.hyperIncreaseBps, 800e6);
    EXPECT_EQ(p.decreaseIntervalPs, 4 * US);

    control->SetAttribute("Preset", StringValue("connectx"));
    p = control->GetParameters(400 * G);
    EXPECT_EQ(p.g, 1.0 / 205);
    EXPECT_EQ(p.alphaPeriodPs, 1 * US);
    EXPECT_EQ(control->GetFeedback().cnpIntervalPs, 4 * US);
    EXPECT_EQ(p.decreaseIntervalPs, 4 * US);
    EXPECT_EQ(p.ratePeriodPs, 300 * US);
    EXPECT_EQ(p.byteCounter, 32'767u);
    EXPECT_EQ(p.fastRecoverySteps, 1u);
    EXPECT_EQ(p.additiveIncreaseBps, 5e6);
    EXPECT_EQ(p.hyperIncreaseBps, 50e6);
    EXPECT_EQ(p.minRateBps, 100e6);
    EXPECT_TRUE(p.periodic);
    EXPECT_TRUE(p.keepTargetRate);
}

TEST_F(DcqcnTest, OneDecreaseAnInterval)
{
    // g = 1/256 and alpha = 1 at first. CNPs at 0, 1 and 3 us: the first halves the rate at once,
    // the two others together take effect at 4 us; one at 9 us finds the interval over.
    DcqcnParameters parameters = Paper();
    EXPECT_EQ(parameters.decreaseIntervalPs, 0);
    parameters.decreaseIntervalPs = 4 * US;
    DcqcnController controller(parameters, 100 * G);
    controller.OnCnp(0);
    EXPECT_EQ(controller.GetRate(0), 50e9);
    controller.OnCnp(1 * US);
    controller.OnCnp(3 * US);
    EXPECT_EQ(controller.GetRate(4 * US - 1), 50e9);
    EXPECT_EQ(controller.GetRate(4 * US), 25e9);
    EXPECT_EQ(controller.GetRate(8 * US), 25e9);
    controller.OnCnp(9 * US);
    EXPECT_EQ(controller.GetRate(9 * US), 12.5e9);
    // Looked at late, it is the same: the decrease at 13 us starts the timer of 55 us.
    controller.OnCnp(10 * US);
    EXPECT_EQ(controller.GetRate(68 * US - 1), 6.25e9);
    EXPECT_EQ(controller.GetRate(68 * US), (12.5e9 + 6.25e9) / 2);
}

TEST_F(DcqcnTest, PresetHpccIsTheSimulatorsDcqcn)
{
    // Rates, targets and alphas of an event model apart from this module, written from the
    // equations of the HPCC simulator (mode 1 of its rdma-hw.cc: UpdateAlphaMlx,
    // CheckRateDecreaseMlx, RateIncEventMlx) with the parameters of its run.py at 100 Gb/s: alpha
    // each microsecond and a decrease each 4 us, if a CNP came, from the first CNP on; then fast
    // recovery, R_AI 20 Mb/s, and R_HAI 200 Mb/s for each further increase. Times are not those of
    // an event.
    struct Row
    {
        int64_t ns;
        double rate;   ///< [Gb/s]
        double target; ///< [Gb/s]
        double alpha;
    };

    const int64_t cnps[] = {0, 500, 2'500, 5'300, 6'200, 9'300, 13'500, 14'100, 950'500}; // [ns]
    const Row rows[] = {{3'500, 100.000000, 100.000000, 0.996109009},
                        {4'500, 50.389102, 100.000000, 0.992217958},
                        {8'500, 25.583254, 100.000000, 0.984571940},
                        {12'500, 13.135035, 100.000000, 0.973153701},
                        {16'500, 6.792101, 100.000000, 0.965803821},
                        {20'500, 6.792101, 100.000000, 0.950801328},
                        {317'500, 53.396051, 100.000000, 0.297340228},
                        {617'500, 76.698025, 100.000000, 0.091900571},
                        {917'500, 88.349013, 100.000000, 0.028404212},
                        {951'500, 88.349013, 100.000000, 0.028771341},
                        {953'400, 87.083018, 88.349013, 0.028547004},
                        {1'253'400, 87.716015, 88.349013, 0.008823179},
                        {1'553'400, 88.042514, 88.369013, 0.002727028},
                        {1'853'400, 88.305763, 88.569013, 0.000842857},
                        {2'153'400, 88.537388, 88.769013, 0.000260507},
                        {2'453'400, 88.753200, 88.969013, 0.000080516}};
    DcqcnController controller(MakePreset("hpcc")->GetParameters(100 * G), 100 * G);
    const int64_t* cnp = std::begin(cnps);
    for (const Row& row : rows)
    {
        for (; cnp != std::end(cnps) && *cnp < row.ns; ++cnp)
        {
            controller.OnCnp(*cnp * 1'000);
        }
        const int64_t now = row.ns * 1'000;
        EXPECT_NEAR(controller.GetRate(now) / GBPS, row.rate, 1e-6) << row.ns;
        EXPECT_NEAR(controller.GetTargetRate(now) / GBPS, row.target, 1e-6) << row.ns;
        EXPECT_NEAR(controller.GetAlpha(now), row.alpha, 1e-9) << row.ns;
    }
    // A CNP in each microsecond: alpha stays 1, and the rate ends at 1,000 Mb/s.
    DcqcnController low(MakePreset("hpcc")->GetParameters(100 * G), 100 * G);
    for (int64_t i = 0; i < 200; ++i)
    {
        low.OnCnp(i * 700'000);
    }
    EXPECT_EQ(low.GetRate(139'500'000), 1e9);
    EXPECT_EQ(low.GetAlpha(139'500'000), 1.0);
}

TEST_F(DcqcnTest, PeriodicLookedAtSeldomIsLookedAtOften)
{
    // As LookedAtSeldomIsLookedAtOften, where alpha and the rate have periods of their own.
    for (const char* preset : {"hpcc", "connectx"})
    {
        const DcqcnParameters parameters = MakePreset(preset)->GetParameters(100 * G);
        DcqcnController often(parameters, 100 * G);
        DcqcnController never(parameters, 100 * G);
        int64_t now = 0;
        for (uint64_t event = 0; event < 600; ++event)
        {
            // Now and then 100 ms, after which alpha is gone.
            const int64_t gap =
                event % 97 == 96 ? 100 * MS
                                 : 1 + static_cast<int64_t>(CounterRandom(3, 1, event) % (9 * US));
            for (int64_t t = now; t<now + gap; t += gap> MS ? 700 * US : US / 3)
            {
                often.GetRate(t);
            }
            now += gap;
            if (CounterRandom(3, 2, event) % 3 == 0)
            {
                often.OnCnp(now);
                never.OnCnp(now);
            }
            else
            {
                const auto bytes = static_cast<uint32_t>(CounterRandom(3, 3, event) % 30'000);
                ASSERT_EQ(SendFrame(often, now, bytes), SendFrame(never, now, bytes)) << event;
            }
        }
        ASSERT_EQ(often.GetRate(now), never.GetRate(now));
        ASSERT_EQ(often.GetAlpha(now), never.GetAlpha(now));
        ASSERT_EQ(often.GetTargetRate(now), never.GetTargetRate(now));
        EXPECT_LT(never.GetRate(now), 100e9);
    }
}

TEST_F(DcqcnTest, AttributesOverrideThePreset)
{
    auto control = CreateObject<Dcqcn>();
    const std::pair<const char*, const char*> settings[] = {{"Preset", "hpcc-i"},
                                                            {"G", "0.25"},
                                                            {"AlphaPeriod", "3us"},
                                                            {"CnpInterval", "5us"},
                                                            {"DecreaseInterval", "6us"},
                                                            {"KeepTargetRate", "no"},
                                                            {"LowerTargetRate", "yes"},
                                                            {"Periodic", "yes"},
                                                            {"HyperIncreaseLimit", "19"},
                                                            {"RatePeriod", "7us"},
                                                            {"ByteCounter", "1234567"},
                                                            {"FastRecoverySteps", "9"},
                                                            {"AdditiveIncrease", "11Mbps"},
                                                            {"HyperIncrease", "13Mbps"},
                                                            {"MinRate", "17Mbps"},
                                                            {"ClampTargetRate", "false"}};
    for (const auto& setting : settings)
    {
        control->SetAttribute(setting.first, StringValue(setting.second));
    }
    DcqcnParameters p = control->GetParameters(100 * G);
    EXPECT_EQ(p.g, 0.25);
    EXPECT_EQ(p.alphaPeriodPs, 3 * US);
    EXPECT_EQ(p.cnpIntervalPs, 5 * US);
    EXPECT_EQ(p.decreaseIntervalPs, 6 * US);
    EXPECT_FALSE(p.keepTargetRate);
    EXPECT_TRUE(p.lowerTargetRate);
    EXPECT_TRUE(p.periodic);
    EXPECT_EQ(p.hyperIncreaseLimit, 19u);
    EXPECT_EQ(p.ratePeriodPs, 7 * US);
    EXPECT_EQ(p.byteCounter, 1'234'567u);
    EXPECT_EQ(p.fastRecoverySteps, 9u);
    EXPECT_EQ(p.additiveIncreaseBps, 11e6);
    EXPECT_EQ(p.hyperIncreaseBps, 13e6);
    EXPECT_EQ(p.minRateBps, 17e6);
    EXPECT_FALSE(p.clampTargetRate);
    control->SetAttribute("UseByteCounter", BooleanValue(false));
    EXPECT_EQ(control->GetParameters(100 * G).byteCounter, 0u);
}

} // namespace ns3
