#pragma once
// Plots of a sweep's table: which points a mark stands for, and what a reader must be told of them.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/line_plot.hpp"
#include "app/sweep_study.hpp"

namespace mpisim::app {

/// The plot that a study asks for, from the rows of its table (sweep_results.hpp); without series if no
/// finished point has a value. A mark is the mean of the points that it stands for; the notes say over what,
/// what was left out, and what error bars are.
LinePlot plot_of(const Study& study, const PlotRequest& request,
                 const std::vector<nlohmann::ordered_json>& rows);

}  // namespace mpisim::app
