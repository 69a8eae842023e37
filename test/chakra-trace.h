/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CHAKRA_TRACE_H
#define GPU_FABRIC_CHAKRA_TRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Writes execution traces of Chakra: Protocol Buffers by hand, for tests.
class ChakraTrace
{
  public:
    static constexpr uint64_t COMP = 4;
    static constexpr uint64_t SEND = 5;
    static constexpr uint64_t RECEIVE = 6;
    static constexpr uint64_t COLLECTIVE = 7;

    static std::string Varint(uint64_t value)
    {
        std::string text;
        for (; value >= 0x80; value >>= 7)
        {
            text += static_cast<char>(value | 0x80);
        }
        return text + static_cast<char>(value);
    }

    static std::string Field(uint64_t field, uint64_t value)
    {
        return Varint(field << 3) + Varint(value);
    }

    static std::string Field(uint64_t field, const std::string& bytes)
    {
        return Varint(field << 3 | 2) + Varint(bytes.size()) + bytes;
    }

    /// A node; what follows belongs to it.
    ChakraTrace& Add(uint64_t id, const std::string& name, uint64_t type)
    {
        // A number of zero is not written.
        m_nodes.push_back((id > 0 ? Field(1, id) : "") + Field(2, name) + Field(3, type));
        return *this;
    }

    ChakraTrace& Duration(uint64_t us)
    {
        m_nodes.back() += Field(7, us);
        return *this;
    }

    ChakraTrace& Depends(const std::vector<uint64_t>& ids)
    {
        std::string list;
        for (const uint64_t id : ids)
        {
            list += Varint(id);
        }
        m_nodes.back() += Field(5, list);
        return *this;
    }

    /// A control dependency, not packed.
    ChakraTrace& Follows(uint64_t id)
    {
        m_nodes.back() += Field(4, id);
        return *this;
    }

    /// \param field of AttributeProto: 9 is an int64, 13 a uint64
    ChakraTrace& Number(const std::string& name, uint64_t value, uint64_t field = 9)
    {
        m_nodes.back() += Field(10, Field(1, name) + Field(field, value));
        return *this;
    }

    ChakraTrace& Text(const std::string& name, const std::string& value)
    {
        m_nodes.back() += Field(10, Field(1, name) + Field(29, value));
        return *this;
    }

    std::string Get() const
    {
        const std::string metadata = Field(1, std::string("0.0.4"));
        std::string text = Varint(metadata.size()) + metadata;
        for (const std::string& node : m_nodes)
        {
            text += Varint(node.size()) + node;
        }
        return text;
    }

  private:
    std::vector<std::string> m_nodes;
};

} // namespace ns3

#endif // GPU_FABRIC_CHAKRA_TRACE_H
