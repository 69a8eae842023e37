/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/fabric-event-order.h"

#include "ns3/callback.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{

/// Events of several logical processes in one order.
class FabricEventOrderTest : public ::testing::Test
{
  protected:
    FabricEventOrderTest()
    {
        m_trace.ConnectWithoutContext(MakeCallback(&FabricEventOrderTest::OnEvent, this));
    }

    void Add(std::size_t part, int64_t time, uint32_t key, const std::string& kind)
    {
        FabricEventRecord record;
        record.timePs = time;
        record.kind = kind;
        order.Add(part, key, record, m_trace);
    }

    void AddLost(std::size_t part, int64_t time, uint32_t link, uint32_t queuePair)
    {
        FabricEventRecord record;
        record.timePs = time;
        record.kind = std::to_string(link) + ":" + std::to_string(queuePair);
        record.link = link;
        record.queuePair = queuePair;
        record.oncePerQueuePair = true;
        order.Add(part, 1, record, m_trace);
    }

    /// What is told when all before a time is.
    std::vector<std::string> Tell(int64_t before)
    {
        told.clear();
        order.NotifyBefore(before);
        return told;
    }

    using Strings = std::vector<std::string>;

    FabricEventOrder order;
    Strings told;

  private:
    void OnEvent(const FabricEventRecord& record)
    {
        told.push_back(record.kind);
        if (record.kind == "reader")
        {
            // Who is told has more told.
            Add(1, record.timePs, 99, "brought");
            order.NotifyBefore(record.timePs + 1);
        }
    }

    TracedCallback<const FabricEventRecord&> m_trace;
};

TEST_F(FabricEventOrderTest, ByTimeThenByKey)
{
    Add(0, 20, 3, "20/3");
    Add(0, 20, 8, "20/8");
    Add(1, 10, 9, "10/9");
    Add(1, 20, 5, "20/5");
    Add(2, 10, 7, "10/7");
    Add(2, 20, 4, "20/4");
    EXPECT_EQ(Tell(20), (Strings{"10/7", "10/9"}));
    EXPECT_EQ(Tell(20), Strings{});
    EXPECT_EQ(Tell(21), (Strings{"20/3", "20/4", "20/5", "20/8"}));
}

TEST_F(FabricEventOrderTest, OfOnePartAsTheyCame)
{
    // The event of key 9 has scheduled that of key 2 at the same time: in a whole fabric, too, key
    // 4 comes before both and 12 after.
    Add(1, 10, 9, "9");
    Add(1, 10, 2, "2 after 9");
    Add(2, 10, 4, "4");
    Add(2, 10, 12, "12");
    Add(2, 11, 1, "next");
    EXPECT_EQ(Tell(100), (Strings{"4", "9", "2 after 9", "12", "next"}));
}

TEST_F(FabricEventOrderTest, OfOnePlaceAsTheyCame)
{
    // Ordinary events have no key.
    Add(0, 10, 0, "first");
    Add(2, 10, 0, "second");
    Add(1, 10, 0, "third");
    EXPECT_EQ(Tell(11), (Strings{"first", "second", "third"}));
}

TEST_F(FabricEventOrderTest, WhoIsToldMayHaveMoreTold)
{
    Add(0, 10, 1, "reader");
    Add(0, 10, 100, "later");
    Add(0, 11, 1, "latest");
    EXPECT_EQ(Tell(12), (Strings{"reader", "brought", "later", "latest"}));
}

TEST_F(FabricEventOrderTest, TheFirstLostFrameOfAllParts)
{
    AddLost(1, 30, 4, 7); // not the first
    AddLost(0, 20, 4, 7);
    AddLost(0, 21, 5, 7); // the other direction
    AddLost(2, 22, 4, 8);
    EXPECT_EQ(Tell(100), (Strings{"4:7", "5:7", "4:8"}));
    order.Forget(1); // ports 2 and 3
    AddLost(1, 101, 4, 7);
    EXPECT_EQ(Tell(200), Strings{});
    order.Forget(2);
    AddLost(1, 201, 4, 7);
    AddLost(1, 202, 5, 7);
    AddLost(2, 203, 5, 7);
    EXPECT_EQ(Tell(300), (Strings{"4:7", "5:7"}));
}

} // namespace ns3
