/* SPDX-License-Identifier: GPL-2.0-only */
#include "coflow-admission.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cstddef>

namespace ns3
{

std::vector<double>
GetAdmittedFractions(const CoflowDemands& demands, double horizon)
{
    NS_ABORT_MSG_IF(horizon < 0, "a horizon of less than nothing");
    const size_t n = demands.size();
    const size_t ports = n == 0 ? 0 : demands[0].size();
    // In units of the horizon, so that the tolerances mean the same for all lengths of epochs.
    const double scale = horizon > 0 ? 1 / horizon : 1;
    // Rows: one for each port, then x <= 1 for each coflow; columns: coflows, slacks, right-hand
    // side. The slacks are a feasible start, since nothing on the right-hand side is negative.
    const size_t rows = ports + n;
    const size_t columns = n + rows;
    std::vector<std::vector<double>> table(rows + 1, std::vector<double>(columns + 1, 0));
    std::vector<size_t> basis(rows);
    for (size_t row = 0; row < rows; row++)
    {
        basis[row] = n + row;
        table[row][n + row] = 1;
        table[row][columns] = row < ports ? horizon * scale : 1;
        for (size_t c = 0; c < n; c++)
        {
            table[row][c] = row < ports ? demands[c][row] * scale : (row - ports == c ? 1 : 0);
        }
    }
    std::vector<double>& objective = table[rows];
    std::fill(objective.begin(), objective.begin() + static_cast<std::ptrdiff_t>(n), -1);

    constexpr double EPSILON = 1e-12;
    for (;;)
    {
        // Bland's rule: the first improving column, and the leaving variable with the smallest
        // index.
        size_t column = 0;
        while (column < columns && objective[column] >= -EPSILON)
        {
            column++;
        }
        if (column == columns)
        {
            break;
        }
        size_t pivot = rows;
        for (size_t row = 0; row < rows; row++)
        {
            if (table[row][column] <= EPSILON)
            {
                continue;
            }
            const double ratio = table[row][columns] / table[row][column];
            const double best =
                pivot == rows ? ratio : table[pivot][columns] / table[pivot][column];
            if (pivot == rows || ratio < best - EPSILON ||
                (ratio <= best + EPSILON && basis[row] < basis[pivot]))
            {
                pivot = row;
            }
        }
        NS_ABORT_MSG_IF(pivot == rows, "no coflow is bounded, though each is at most 1");
        const double by = table[pivot][column];
        for (double& value : table[pivot])
        {
            value /= by;
        }
        for (size_t row = 0; row <= rows; row++)
        {
            const double factor = row == pivot ? 0 : table[row][column];
            for (size_t i = 0; factor != 0 && i <= columns; i++)
            {
                table[row][i] -= factor * table[pivot][i];
            }
        }
        basis[pivot] = column;
    }
    std::vector<double> fractions(n, 0);
    for (size_t row = 0; row < rows; row++)
    {
        if (basis[row] < n)
        {
            fractions[basis[row]] = std::clamp(table[row][columns], 0., 1.);
        }
    }
    return fractions;
}

CoflowEpoch
CoflowEpoch::At(int64_t nowPs, int64_t firstPs, uint32_t count)
{
    NS_ABORT_MSG_IF(nowPs < 0 || firstPs <= 0 || count == 0 || count > 30, "no epochs");
    // A round is 1 + 2 + 4 + ... times as long as its first epoch.
    const int64_t round = firstPs * ((int64_t{1} << count) - 1);
    CoflowEpoch epoch;
    epoch.startPs = nowPs / round * round;
    epoch.horizonPs = firstPs;
    while (nowPs >= epoch.startPs + epoch.horizonPs)
    {
        epoch.startPs += epoch.horizonPs;
        epoch.horizonPs *= 2;
        epoch.number++;
    }
    return epoch;
}

} // namespace ns3
