/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROTOBUF_FIELDS_H
#define GPU_FABRIC_PROTOBUF_FIELDS_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ns3
{

/**
 * Iterates over the fields of a Protocol Buffers message (the wire format of
 * protobuf.dev/programming-guides/encoding). It reads nothing outside the given bytes.
 */
class ProtobufFields
{
  public:
    /// How a value is encoded.
    enum class Wire : uint8_t
    {
        VARINT = 0,
        FIXED64 = 1,
        BYTES = 2,
        FIXED32 = 5
    };

    /// \param bytes of the message; must outlive this object
    explicit ProtobufFields(std::string_view bytes)
        : m_bytes(bytes)
    {
    }

    /// Advances to the next field; false at the end, or if the bytes are not a valid field
    /// (IsBroken()).
    bool Next()
    {
        uint64_t key = 0;
        if (m_position == m_bytes.size() || !TakeVarint(key))
        {
            return false;
        }
        m_field = key >> 3;
        m_wire = static_cast<Wire>(key & 7);
        m_broken = m_field == 0 || !TakeValue();
        return !m_broken;
    }

    /// Reads a standalone number, such as the length before a message in a file.
    bool TakeVarint(uint64_t& value)
    {
        value = 0;
        for (unsigned shift = 0; shift < 64 && m_position < m_bytes.size(); shift += 7)
        {
            const auto byte = static_cast<unsigned char>(m_bytes[m_position++]);
            value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80)
            {
                return true;
            }
        }
        m_broken = true;
        return false;
    }

    /// Reads a given number of raw bytes; false if there are fewer.
    bool TakeBytes(uint64_t count, std::string_view& bytes)
    {
        if (count > m_bytes.size() - m_position)
        {
            m_broken = true;
            return false;
        }
        bytes = m_bytes.substr(m_position, count);
        m_position += count;
        return true;
    }

    /// Whether everything has been read.
    bool IsAtEnd() const
    {
        return m_position == m_bytes.size();
    }

    /// Whether the bytes are not a valid message.
    bool IsBroken() const
    {
        return m_broken;
    }

    /// Number of bytes read so far.
    std::size_t GetPosition() const
    {
        return m_position;
    }

    /// Number of the field.
    uint64_t GetField() const
    {
        return m_field;
    }

    Wire GetWire() const
    {
        return m_wire;
    }

    /// Value of a number; for fixed-size types, their bits as an integer.
    uint64_t GetNumber() const
    {
        return m_number;
    }

    /// Value of a string, message or packed list.
    std::string_view GetBytes() const
    {
        return m_value;
    }

  private:
    bool TakeValue()
    {
        std::string_view bytes;
        m_number = 0;
        m_value = {};
        switch (m_wire)
        {
        case Wire::VARINT:
            return TakeVarint(m_number);
        case Wire::BYTES:
            return TakeVarint(m_number) && TakeBytes(m_number, m_value);
        case Wire::FIXED64:
        case Wire::FIXED32: {
            const unsigned count = m_wire == Wire::FIXED64 ? 8 : 4;
            if (!TakeBytes(count, bytes))
            {
                return false;
            }
            for (unsigned i = count; i-- > 0;)
            {
                m_number = m_number << 8 | static_cast<unsigned char>(bytes[i]);
            }
            return true;
        }
        }
        return false;
    }

    std::string_view m_bytes;
    std::size_t m_position{0};
    uint64_t m_field{0};
    Wire m_wire{Wire::VARINT};
    uint64_t m_number{0};
    std::string_view m_value;
    bool m_broken{false};
};

} // namespace ns3

#endif // GPU_FABRIC_PROTOBUF_FIELDS_H
