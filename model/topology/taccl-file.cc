/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-file.h"

namespace ns3
{

const DocumentTable<TacclFile>&
TacclFile::GetKeys()
{
    using S = TacclFile;
    const auto list = ValueShape::List(ValueShape::Plain(ValueShape::Kind::ANYTHING));
    static const DocumentTable<S> table(
        "taccl",
        {Key("name", &S::name, Form::Text(), "Name of the machine."),
         Key("gpus_per_node", &S::gpus, Form::Integer(1, 1024), "GPUs of a host.").Required(),
         Key("nics_per_node", &S::nics, Form::Integer(1, 64), "NICs of a host.").Required(),
         Key("alpha", &S::alpha, Form::Number(), "Latency between GPUs of a host."),
         Key("node_betas_list", &S::betas, Form::Scalars(), "Time a chunk, by kind of link."),
         Key("node_invbws_list", &S::costs, Form::Scalars(), "alpha + beta of each."),
         Key("remote_alpha", &S::remoteAlpha, Form::Number(), "Latency between hosts.").Required(),
         Key("remote_beta", &S::remoteBeta, Form::Number(), "Time a chunk between hosts.")
             .Required(),
         Key("remote_invbw", &S::remoteInvbw, Form::Number(), "remote_alpha + remote_beta."),
         DocumentKey<S>("links", list, "1 for each link in a host, by destination and source."),
         DocumentKey<S>("betas", list, "Time a chunk of each."),
         DocumentKey<S>("invbws", list, "alpha + beta of each.")});
    return table;
}

} // namespace ns3
