/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SLOTTED_WHEEL_H
#define GPU_FABRIC_SLOTTED_WHEEL_H

#include "ns3/assert.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

namespace ns3
{

/**
 * A timing wheel in which every event has a static slot: the priority queue of the fast lane.
 *
 * An event is named by a 32-bit key, class (6 bits) | index (26 bits), and is pending at most
 * once, so its slot {time, next} lives in one array per class and scheduling allocates nothing.
 * Events leave in the order of (time, key), whatever the bucket width.
 *
 * A bucket is the head of a list of keys, and a bit; there are BUCKET_COUNT of them, each
 * 2^widthShift ps wide, after the current one. The current bucket, and whatever lies before it, is
 * kept sorted in an array of its own. Events beyond the buckets wait in a 4-ary heap, which tracks
 * the position of each key, so that removal is exact. They stay there until they are next.
 *
 * The buckets follow the idea of calendar queues (R. Brown, CACM 31(10), 1988).
 */
class SlottedWheel
{
  public:
    static constexpr uint32_t CLASS_COUNT = 64;    ///< classes of keys
    static constexpr uint32_t INDEX_BITS = 26;     ///< bits of a key below its class
    static constexpr uint32_t BUCKET_COUNT = 8192; ///< a power of two, at most 64^3
    /// Later than any event [ps].
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /// A pending event.
    struct Entry
    {
        int64_t time; ///< [ps]
        uint32_t key;
    };

    /// \param widthShift buckets are 2^widthShift ps wide; 0 to 40
    explicit SlottedWheel(uint32_t widthShift);

    /// Reserves room for the keys of a class with an index below count; never shrinks.
    void Reserve(uint32_t keyClass, uint32_t count);
    /// Changes the width of a bucket; pending events stay. The order does not depend on it.
    void SetWidthShift(uint32_t widthShift);
    uint32_t GetWidthShift() const;
    /// Removes every pending event; reserved room is kept.
    void Clear();

    /// Schedules a key that is not pending, at time [ps] >= 0, not before the last one popped.
    void Schedule(int64_t time, uint32_t key);
    /// Moves a pending key, or schedules one that is not pending.
    void Reschedule(int64_t time, uint32_t key);
    /// Removes a pending key; no effect on one that is not.
    void Cancel(uint32_t key);
    bool IsPending(uint32_t key) const;
    /// Time [ps] of a pending key.
    int64_t GetTime(uint32_t key) const;

    /**
     * Removes the first event if it is earlier than a limit.
     *
     * The wheel never turns past the limit, so events may be scheduled from there on at full speed.
     * \param limit [ps]
     * \param [out] entry the event, if there is one
     * \return false if no event is earlier than the limit
     */
    bool PopBefore(int64_t limit, Entry& entry);
    /// The first event, left in place; its time is NEVER if there is none.
    Entry Peek() const;
    bool IsEmpty() const;

    /// Receives events that will be popped next, the last one first, unless others come in between.
    using NextCallback = void (*)(void* context, const Entry* events, std::size_t count);

    /// Sets a callback that can prefetch the events of a bucket when the wheel turns to it, if
    /// there are several; null: none.
    void SetNextCallback(NextCallback callback, void* context)
    {
        m_nextCallback = callback;
        m_nextContext = context;
    }

    /// Brings the slot of a key into the cache.
    void Prefetch(uint32_t key) const
    {
        __builtin_prefetch(&At(key), 1);
    }

  private:
    /// Where an event is held.
    enum Place : uint32_t
    {
        IDLE,  ///< nowhere
        WHEEL, ///< in a bucket, or in the sorted array if its bucket is not after the current one
        FAR    ///< in the heap
    };

    /// The state of one key.
    struct Slot
    {
        int64_t time;  ///< [ps]
        uint32_t next; ///< next key of the bucket; in the heap, the position there
        uint32_t place;
    };

    /// Groups the four kinds of one entity in one cache line.
    template <typename T>
    struct CacheLineAllocator
    {
        using value_type = T;
        static constexpr std::align_val_t ALIGNMENT{64};

        CacheLineAllocator() = default;

        template <typename U>
        CacheLineAllocator(const CacheLineAllocator<U>&)
        {
        }

        T* allocate(std::size_t n)
        {
            return static_cast<T*>(::operator new(n * sizeof(T), ALIGNMENT));
        }

        void deallocate(T* p, std::size_t)
        {
            ::operator delete(p, ALIGNMENT);
        }

        bool operator==(const CacheLineAllocator&) const
        {
            return true;
        }

        bool operator!=(const CacheLineAllocator&) const
        {
            return false;
        }
    };

    static constexpr uint32_t END = 0xffffffff; ///< no key
    static constexpr uint32_t BUCKET_MASK = BUCKET_COUNT - 1;
    static constexpr uint32_t WORD_COUNT = BUCKET_COUNT / 64;
    static constexpr uint32_t SUMMARY_COUNT = (WORD_COUNT + 63) / 64;

    Slot& At(uint32_t key);
    const Slot& At(uint32_t key) const;
    static bool IsBefore(const Entry& a, const Entry& b);

    /// The first bucket after the current one that holds an event; NEVER if none.
    int64_t NextBucket() const;
    /// Takes an empty bucket out of the bitmap.
    void ClearBit(uint32_t bucket);

    /// Turns the wheel to bucket, whose events (at least two, or some from the heap) are sorted.
    void Activate(int64_t bucket);
    /// Sorts m_active, latest first.
    void SortActive();
    /// The same, by merging runs that are already sorted.
    void MergeRuns();
    void ScheduleElsewhere(int64_t time, uint32_t key);
    void RemoveFromBucket(uint32_t key);
    void RemoveFromActive(uint32_t key);

    void PushFar(int64_t time, uint32_t key);
    void RemoveFar(uint32_t position);
    void SiftUp(uint32_t position, Entry entry);
    void SiftDown(uint32_t position, Entry entry);
    void PlaceFar(uint32_t position, const Entry& entry);

    uint32_t m_widthShift;
    int64_t m_current{-1};    ///< buckets up to this one are in m_active
    int64_t m_farTime{NEVER}; ///< [ps] of the first event in the heap
    std::array<Slot*, CLASS_COUNT> m_slots{};
    std::vector<Entry> m_active; ///< latest first, so that the next one is at the back
    std::vector<Entry> m_merged; ///< room for MergeRuns()
    std::vector<uint32_t> m_runs;
    NextCallback m_nextCallback{nullptr};
    void* m_nextContext{nullptr};
    std::array<uint64_t, SUMMARY_COUNT> m_summary{};
    std::array<uint64_t, WORD_COUNT> m_bits{};
    std::array<uint32_t, BUCKET_COUNT> m_heads;
    std::vector<Entry> m_far; ///< 4-ary heap, earliest first
    std::array<std::vector<Slot, CacheLineAllocator<Slot>>, CLASS_COUNT> m_storage;
};

inline SlottedWheel::Slot&
SlottedWheel::At(uint32_t key)
{
    NS_ASSERT_MSG((key & ((1U << INDEX_BITS) - 1)) < m_storage[key >> INDEX_BITS].size(),
                  "no room was reserved for key " << key);
    return m_slots[key >> INDEX_BITS][key & ((1U << INDEX_BITS) - 1)];
}

inline const SlottedWheel::Slot&
SlottedWheel::At(uint32_t key) const
{
    return const_cast<SlottedWheel*>(this)->At(key);
}

inline bool
SlottedWheel::IsBefore(const Entry& a, const Entry& b)
{
    return a.time < b.time || (a.time == b.time && a.key < b.key);
}

inline bool
SlottedWheel::IsPending(uint32_t key) const
{
    return At(key).place != IDLE;
}

inline int64_t
SlottedWheel::GetTime(uint32_t key) const
{
    NS_ASSERT_MSG(IsPending(key), "key " << key << " is not pending");
    return At(key).time;
}

inline void
SlottedWheel::Schedule(int64_t time, uint32_t key)
{
    Slot& slot = At(key);
    NS_ASSERT_MSG(slot.place == IDLE, "key " << key << " is pending already");
    NS_ASSERT_MSG(time >= 0 && time < NEVER, "time " << time << " ps is out of range");
    int64_t bucket = time >> m_widthShift;
    if (static_cast<uint64_t>(bucket - m_current - 1) < BUCKET_COUNT - 1)
    {
        uint32_t b = static_cast<uint32_t>(bucket) & BUCKET_MASK;
        slot = {time, m_heads[b], WHEEL};
        m_heads[b] = key;
        m_bits[b / 64] |= uint64_t{1} << (b % 64);
        m_summary[b / 4096] |= uint64_t{1} << (b / 64 % 64);
    }
    else
    {
        ScheduleElsewhere(time, key);
    }
}

inline void
SlottedWheel::Reschedule(int64_t time, uint32_t key)
{
    Cancel(key);
    Schedule(time, key);
}

inline void
SlottedWheel::Cancel(uint32_t key)
{
    Slot& slot = At(key);
    if (slot.place == IDLE)
    {
        return;
    }
    if (slot.place == FAR)
    {
        RemoveFar(slot.next);
    }
    else if ((slot.time >> m_widthShift) > m_current)
    {
        RemoveFromBucket(key);
    }
    else
    {
        RemoveFromActive(key);
    }
    slot.place = IDLE;
}

inline void
SlottedWheel::ClearBit(uint32_t bucket)
{
    uint64_t bits = m_bits[bucket / 64] & ~(uint64_t{1} << (bucket % 64));
    m_bits[bucket / 64] = bits;
    m_summary[bucket / 4096] &= ~(uint64_t{bits == 0} << (bucket / 64 % 64));
}

inline int64_t
SlottedWheel::NextBucket() const
{
    // Bucket numbers continue from the current one: bits before its position in the bitmap are one
    // turn later. The current position itself is always empty.
    const int64_t base = m_current & ~int64_t{BUCKET_MASK};
    const uint32_t position = static_cast<uint32_t>(m_current) & BUCKET_MASK;
    const uint32_t word = position / 64;
    const uint64_t rest = m_bits[word] & (~uint64_t{1} << (position % 64));
    if (rest)
    {
        return base + word * 64 + __builtin_ctzll(rest);
    }
    uint32_t s = word / 64;
    uint64_t words = m_summary[s] & (~uint64_t{1} << (word % 64));
    for (uint32_t i = 0; i <= SUMMARY_COUNT; i++)
    {
        if (words)
        {
            uint32_t w = s * 64 + __builtin_ctzll(words);
            int64_t turn = w <= word ? BUCKET_COUNT : 0;
            return base + turn + w * 64 + __builtin_ctzll(m_bits[w]);
        }
        s = (s + 1) % SUMMARY_COUNT;
        words = m_summary[s];
    }
    return NEVER;
}

inline bool
SlottedWheel::PopBefore(int64_t limit, Entry& entry)
{
    if (m_active.empty())
    {
        const int64_t bucket = NextBucket();
        const int64_t last = (limit - 1) >> m_widthShift;
        const int64_t far = m_farTime >> m_widthShift;
        if (bucket < far && bucket <= last)
        {
            uint32_t b = static_cast<uint32_t>(bucket) & BUCKET_MASK;
            uint32_t key = m_heads[b];
            Slot& slot = At(key);
            if (slot.next == END && slot.time < limit)
            {
                // The common case: a single event in a bucket needs no sorting.
                m_heads[b] = END;
                ClearBit(b);
                m_current = bucket;
                slot.place = IDLE;
                entry = {slot.time, key};
                return true;
            }
            Activate(bucket);
        }
        else if (far <= last && m_farTime != NEVER)
        {
            Activate(far < bucket ? far : bucket);
        }
        else
        {
            // Nothing is pending before the limit's bucket, so the wheel may turn there.
            if (limit != NEVER && last - 1 > m_current)
            {
                m_current = last - 1;
            }
            return false;
        }
    }
    if (m_active.back().time >= limit)
    {
        return false;
    }
    entry = m_active.back();
    m_active.pop_back();
    At(entry.key).place = IDLE;
    return true;
}

} // namespace ns3

#endif // GPU_FABRIC_SLOTTED_WHEEL_H
