/* SPDX-License-Identifier: GPL-2.0-only */
#include "slotted-wheel.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{
/// More events than this are sorted by merging.
constexpr std::size_t INSERTION_SORT_LIMIT = 16;
/// Children of a node of the heap.
constexpr uint32_t ARITY = 4;
} // namespace

SlottedWheel::SlottedWheel(uint32_t widthShift)
    : m_widthShift(widthShift)
{
    static_assert((BUCKET_COUNT & BUCKET_MASK) == 0 && WORD_COUNT >= 1, "a power of two");
    NS_ABORT_MSG_IF(widthShift > 40, "the width of a bucket is 2^0 to 2^40 ps");
    m_heads.fill(END);
}

void
SlottedWheel::Reserve(uint32_t keyClass, uint32_t count)
{
    NS_ABORT_MSG_IF(keyClass >= CLASS_COUNT,
                    "class " << keyClass << " of events: there are " << CLASS_COUNT);
    NS_ABORT_MSG_IF(count >= 1U << INDEX_BITS, "too many keys in a class: " << count);
    auto& storage = m_storage[keyClass];
    if (count > storage.size())
    {
        if (count > storage.capacity())
        {
            storage.reserve(std::max<std::size_t>(count, 2 * storage.capacity()));
        }
        storage.resize(count, Slot{NEVER, END, IDLE});
        m_slots[keyClass] = storage.data();
    }
}

void
SlottedWheel::SetWidthShift(uint32_t widthShift)
{
    NS_ABORT_MSG_IF(widthShift > 40, "the width of a bucket is 2^0 to 2^40 ps");
    std::vector<Entry> pending = m_active;
    pending.insert(pending.end(), m_far.begin(), m_far.end());
    for (uint32_t head : m_heads)
    {
        for (uint32_t key = head; key != END; key = At(key).next)
        {
            pending.push_back({At(key).time, key});
        }
    }
    // All future events are at or after the start of the current bucket.
    const int64_t start = m_current < 0 ? 0 : m_current << m_widthShift;
    Clear();
    m_widthShift = widthShift;
    m_current = (start >> m_widthShift) - 1;
    for (const Entry& entry : pending)
    {
        Schedule(entry.time, entry.key);
    }
}

uint32_t
SlottedWheel::GetWidthShift() const
{
    return m_widthShift;
}

void
SlottedWheel::Clear()
{
    for (uint32_t& head : m_heads)
    {
        while (head != END)
        {
            Slot& slot = At(head);
            slot.place = IDLE;
            head = slot.next;
        }
    }
    for (const auto* entries : {&m_active, &m_far})
    {
        for (const Entry& entry : *entries)
        {
            At(entry.key).place = IDLE;
        }
    }
    m_active.clear();
    m_far.clear();
    m_farTime = NEVER;
    m_bits.fill(0);
    m_summary.fill(0);
    m_current = -1;
}

SlottedWheel::Entry
SlottedWheel::Peek() const
{
    if (!m_active.empty())
    {
        return m_active.back();
    }
    Entry first{NEVER, END};
    if (!m_far.empty())
    {
        first = m_far.front();
    }
    const int64_t bucket = NextBucket();
    if (bucket != NEVER)
    {
        uint32_t key = m_heads[static_cast<uint32_t>(bucket) & BUCKET_MASK];
        for (; key != END; key = At(key).next)
        {
            const Entry entry{At(key).time, key};
            if (IsBefore(entry, first))
            {
                first = entry;
            }
        }
    }
    return first;
}

bool
SlottedWheel::IsEmpty() const
{
    return m_active.empty() && m_far.empty() &&
           std::all_of(m_summary.begin(), m_summary.end(), [](uint64_t s) { return s == 0; });
}

void
SlottedWheel::Activate(int64_t bucket)
{
    NS_ASSERT(m_active.empty() && bucket > m_current);
    m_current = bucket;
    const uint32_t b = static_cast<uint32_t>(bucket) & BUCKET_MASK;
    uint32_t key = m_heads[b];
    if (key != END)
    {
        m_heads[b] = END;
        ClearBit(b);
        for (; key != END; key = At(key).next)
        {
            m_active.push_back({At(key).time, key});
        }
    }
    while ((m_farTime >> m_widthShift) == bucket)
    {
        const Entry entry = m_far.front();
        RemoveFar(0);
        At(entry.key).place = WHEEL;
        m_active.push_back(entry);
    }
    SortActive();
    if (m_nextCallback != nullptr)
    {
        m_nextCallback(m_nextContext, m_active.data(), m_active.size());
    }
}

void
SlottedWheel::SortActive()
{
    const std::size_t count = m_active.size();
    if (count > INSERTION_SORT_LIMIT)
    {
        MergeRuns();
        return;
    }
    for (std::size_t i = 1; i < count; i++)
    {
        const Entry entry = m_active[i];
        std::size_t j = i;
        for (; j > 0 && IsBefore(m_active[j - 1], entry); j--)
        {
            m_active[j] = m_active[j - 1];
        }
        m_active[j] = entry;
    }
}

void
SlottedWheel::MergeRuns()
{
    // Events of one handler or of one instant come in order, so a bucket of 20 to 60 events
    // consists of four to six runs: a third of the comparisons of std::sort.
    const auto isAfter = [](const Entry& a, const Entry& b) { return IsBefore(b, a); };
    m_runs.assign(1, 0);
    for (std::size_t i = 1; i < m_active.size(); i++)
    {
        if (IsBefore(m_active[i - 1], m_active[i]))
        {
            m_runs.push_back(static_cast<uint32_t>(i));
        }
    }
    m_merged.resize(m_active.size());
    while (m_runs.size() > 1)
    {
        m_runs.push_back(static_cast<uint32_t>(m_active.size()));
        const auto begin = m_active.begin();
        std::size_t kept = 0;
        for (std::size_t i = 0; i + 1 < m_runs.size(); i += 2)
        {
            const uint32_t last = m_runs[std::min(i + 2, m_runs.size() - 1)];
            std::merge(begin + m_runs[i],
                       begin + m_runs[i + 1],
                       begin + m_runs[i + 1],
                       begin + last,
                       m_merged.begin() + m_runs[i],
                       isAfter);
            m_runs[kept++] = m_runs[i];
        }
        m_runs.resize(kept);
        m_active.swap(m_merged);
    }
}

void
SlottedWheel::ScheduleElsewhere(int64_t time, uint32_t key)
{
    if ((time >> m_widthShift) > m_current)
    {
        PushFar(time, key);
        return;
    }
    At(key) = {time, END, WHEEL};
    const Entry entry{time, key};
    auto position = m_active.end();
    while (position != m_active.begin() && IsBefore(*(position - 1), entry))
    {
        --position;
    }
    m_active.insert(position, entry);
}

void
SlottedWheel::RemoveFromBucket(uint32_t key)
{
    const Slot& slot = At(key);
    const uint32_t b = static_cast<uint32_t>(slot.time >> m_widthShift) & BUCKET_MASK;
    uint32_t* link = &m_heads[b];
    while (*link != key)
    {
        NS_ASSERT(*link != END);
        link = &At(*link).next;
    }
    *link = slot.next;
    if (m_heads[b] == END)
    {
        ClearBit(b);
    }
}

void
SlottedWheel::RemoveFromActive(uint32_t key)
{
    auto it = std::lower_bound(m_active.begin(),
                               m_active.end(),
                               Entry{At(key).time, key},
                               [](const Entry& a, const Entry& b) { return IsBefore(b, a); });
    NS_ASSERT(it != m_active.end() && it->key == key);
    m_active.erase(it);
}

void
SlottedWheel::PlaceFar(uint32_t position, const Entry& entry)
{
    m_far[position] = entry;
    At(entry.key).next = position;
}

void
SlottedWheel::PushFar(int64_t time, uint32_t key)
{
    At(key) = {time, 0, FAR};
    m_far.push_back({time, key});
    SiftUp(static_cast<uint32_t>(m_far.size()) - 1, {time, key});
    m_farTime = m_far.front().time;
}

void
SlottedWheel::RemoveFar(uint32_t position)
{
    const Entry last = m_far.back();
    m_far.pop_back();
    if (position < m_far.size())
    {
        if (position > 0 && IsBefore(last, m_far[(position - 1) / ARITY]))
        {
            SiftUp(position, last);
        }
        else
        {
            SiftDown(position, last);
        }
    }
    m_farTime = m_far.empty() ? NEVER : m_far.front().time;
}

void
SlottedWheel::SiftUp(uint32_t position, Entry entry)
{
    while (position > 0)
    {
        const uint32_t parent = (position - 1) / ARITY;
        if (!IsBefore(entry, m_far[parent]))
        {
            break;
        }
        PlaceFar(position, m_far[parent]);
        position = parent;
    }
    PlaceFar(position, entry);
}

void
SlottedWheel::SiftDown(uint32_t position, Entry entry)
{
    const uint32_t size = static_cast<uint32_t>(m_far.size());
    while (true)
    {
        const uint32_t child = position * ARITY + 1;
        if (child >= size)
        {
            break;
        }
        uint32_t least = child;
        for (uint32_t i = child + 1; i < std::min(child + ARITY, size); i++)
        {
            if (IsBefore(m_far[i], m_far[least]))
            {
                least = i;
            }
        }
        if (!IsBefore(m_far[least], entry))
        {
            break;
        }
        PlaceFar(position, m_far[least]);
        position = least;
    }
    PlaceFar(position, entry);
}

} // namespace ns3
