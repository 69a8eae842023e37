/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_STUDENT_T_H
#define GPU_FABRIC_STUDENT_T_H

namespace ns3
{

/// A common table expression of Student's t, without its closing parenthesis: quantile(freedom, t),
/// the 97.5 % quantile by degrees of freedom. Between rows the one before holds, which is larger.
constexpr const char* STUDENT_T = R"sql(quantile(freedom, t) AS (
  VALUES (1, 12.706205), (2, 4.302653), (3, 3.182446), (4, 2.776445), (5, 2.570582),
    (6, 2.446912), (7, 2.364624), (8, 2.306004), (9, 2.262157), (10, 2.228139),
    (11, 2.200985), (12, 2.178813), (13, 2.160369), (14, 2.144787), (15, 2.131450),
    (16, 2.119905), (17, 2.109816), (18, 2.100922), (19, 2.093024), (20, 2.085963),
    (21, 2.079614), (22, 2.073873), (23, 2.068658), (24, 2.063899), (25, 2.059539),
    (26, 2.055529), (27, 2.051831), (28, 2.048407), (29, 2.045230), (30, 2.042272),
    (40, 2.021075), (50, 2.008559), (60, 2.000298), (80, 1.990063), (100, 1.983972),
    (120, 1.979930), (200, 1.971896), (500, 1.964720), (1000, 1.962339))sql";

} // namespace ns3

#endif // GPU_FABRIC_STUDENT_T_H
