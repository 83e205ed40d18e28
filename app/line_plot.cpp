#include "app/line_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "app/plot_scale.hpp"
#include "app/svg_text.hpp"

namespace mpisim::app {

namespace {

constexpr double margin = 16;
constexpr double font = 13, small_font = 12, title_font = 15;
constexpr double line_height = 18, title_height = 21;
constexpr double least_plot_width = 470, plot_height = 332;
constexpr double least_tick_distance = 16;  // of turned labels
constexpr double legend_sample = 40;        // line, marker and the blank behind them
constexpr double widest_legend_name = 260;
constexpr double turned_degrees = 40;
constexpr std::string_view marked_logarithmic = ", logarithmic scale";

// Colours that stay apart in grey and for colour-blind readers (Okabe and Ito).
constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};
constexpr std::array<std::string_view, 4> dashes{"none", "7 4", "2 3", "9 3 2 3"};

// Markers repeat after four series, together with other dashes then: in grey no two of 16 series look alike.
std::string_view dash_of(std::size_t series) {
  return dashes[(series + series / 4) % dashes.size()];
}

std::string marker(std::size_t series, double x, double y, std::string_view colour) {
  switch (series % 4) {
    case 0:
      return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"/>)", x, y, colour);
    case 1:
      return fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="7.5" height="7.5" fill="{}"/>)", x - 3.75,
                         y - 3.75, colour);
    case 2:
      return fmt::format(R"(<path d="M{:.1f} {:.1f}l4.8 8.4h-9.6z" fill="{}"/>)", x, y - 5.4, colour);
    default:
      return fmt::format(R"(<path d="M{:.1f} {:.1f}l5 5l-5 5l-5 -5z" fill="{}"/>)", x, y - 5, colour);
  }
}

PlotScale scale_of(const LinePlot& plot) {
  double largest = 0, least = 0;
  const auto take = [&](const std::vector<double>& values) {
    for (const double value : values) {
      largest = std::max(largest, value);
      if (value > 0 && (least == 0 || value < least)) least = value;
    }
  };
  for (const PlotSeries& series : plot.series) {
    take(series.y);
    take(series.low);
    take(series.high);
  }
  return plot.log_y && least > 0 ? PlotScale::logarithmic(least, largest) : PlotScale::linear(largest);
}

/// Words in their final lines, and the places of all parts of the picture.
class Layout {
 public:
  explicit Layout(const LinePlot& plot) : scale(scale_of(plot)) {
    plot_width = least_plot_width;
    if (plot.categories)
      plot_width = std::max(plot_width, least_tick_distance * static_cast<double>(plot.x_ticks.size() + 2));
    y_words = wrapped(plot.y_label + (plot.log_y ? std::string(marked_logarithmic) : ""), plot_height, font);
    double widest_tick = 0;
    for (const double tick : scale.ticks())
      widest_tick = std::max(widest_tick, text_width(tick_label(tick), font));
    left = margin + line_height * static_cast<double>(y_words.size()) + 6 + widest_tick + 8;
    take_legend(plot);
    take_ticks(plot);
    width = left + plot_width + std::max(legend_width, margin);
    title = wrapped(plot.title, width - 2 * margin, title_font, true);
    for (const std::string& note : plot.notes)
      for (std::string& line : wrapped(note, width - 2 * margin, small_font))
        notes.push_back(std::move(line));
    top = margin + title_height * static_cast<double>(title.size()) +
          line_height * static_cast<double>(notes.size()) + margin;
    x_words = wrapped(plot.x_label + (plot.log_x ? std::string(marked_logarithmic) : ""), plot_width, font);
    height = top + plot_height + ticks_height + line_height * static_cast<double>(x_words.size()) + margin;
    height = std::max(height, top + legend_height + margin);
  }

  static std::string tick_label(double value) { return fmt::format("{:.6g}", value); }

  PlotScale scale;
  double width = 0, height = 0, left = 0, top = 0, plot_width = 0;
  double legend_width = 0, legend_height = 0, ticks_height = 0;
  bool turned = false;           ///< labels below the horizontal axis
  std::vector<double> tick_at;   ///< pixels from the left of the axis
  std::vector<bool> tick_named;  ///< labels that have room
  std::vector<std::string> title, notes, x_words, y_words, heading;
  std::vector<std::vector<std::string>> names;  ///< of the series, in lines

 private:
  void take_legend(const LinePlot& plot) {
    if (!plot.series_label.empty()) heading = wrapped(plot.series_label, widest_legend_name, font, true);
    double widest = 0;
    for (const std::string& line : heading) widest = std::max(widest, text_width(line, font, true));
    legend_height = line_height * static_cast<double>(heading.size());
    for (const PlotSeries& series : plot.series) {
      names.push_back(series.name.empty() ? std::vector<std::string>{}
                                          : wrapped(series.name, widest_legend_name, font));
      legend_height += 4 + line_height * static_cast<double>(names.back().size());
      for (const std::string& line : names.back())
        widest = std::max(widest, legend_sample + text_width(line, font));
    }
    if (widest > 0) legend_width = 20 + widest + margin;
  }

  void take_ticks(const LinePlot& plot) {
    const auto scaled = [&](double x) { return plot.log_x ? std::log(x) : x; };
    const double low = scaled(plot.x_ticks.front().position);
    const double range = scaled(plot.x_ticks.back().position) - low;
    double end = -least_plot_width, widest = 0;
    for (const PlotTick& tick : plot.x_ticks) {
      // A margin on both sides keeps markers off the frame.
      tick_at.push_back(range == 0
                            ? plot_width / 2
                            : margin + (scaled(tick.position) - low) / range * (plot_width - 2 * margin));
      const double half = text_width(tick.label, font) / 2;
      turned = turned || tick_at.back() - half < end + 6 || tick_at.back() - half < -left ||
               tick_at.back() + half > plot_width + margin;
      end = tick_at.back() + half;
      widest = std::max(widest, 2 * half);
    }
    double named_at = -least_plot_width;
    for (const double x : tick_at) {
      tick_named.push_back(plot.categories || x - named_at >= least_tick_distance);
      if (tick_named.back()) named_at = x;
    }
    const double slope = turned_degrees * std::numbers::pi / 180;
    ticks_height = turned ? 14 + widest * std::sin(slope) + 18 : 30;
    if (turned) left = std::max(left, margin + widest * std::cos(slope) - tick_at.front());
  }
};

class Drawing {
 public:
  explicit Drawing(const LinePlot& plot) : plot_(plot), layout_(plot) {}

  std::string draw() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"{2}\" fill=\"#222\">\n"
        "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"white\"/>\n",
        layout_.width, layout_.height, font);
    double y = margin - 4;
    for (const std::string& line : layout_.title)
      text(margin, y += title_height, "start", line,
           fmt::format("font-size=\"{}\" font-weight=\"bold\"", title_font));
    for (const std::string& line : layout_.notes)
      text(margin, y += line_height, "start", line,
           fmt::format("font-size=\"{}\" fill=\"#555\"", small_font));
    vertical_axis();
    horizontal_axis();
    for (std::size_t s = 0; s < plot_.series.size(); ++s) line_of(s);
    legend();
    return out_ + "</svg>\n";
  }

 private:
  double bottom() const { return layout_.top + plot_height; }
  double px(double x) const {
    const auto at = std::ranges::find(plot_.x_ticks, x, &PlotTick::position);
    return layout_.left + layout_.tick_at[static_cast<std::size_t>(at - plot_.x_ticks.begin())];
  }
  double py(double y) const { return bottom() - layout_.scale.position(y) * plot_height; }

  void text(double x, double y, std::string_view anchor, std::string_view words, std::string_view more = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor,
                        more, escaped(words));
  }

  void vertical_axis() {
    for (const double tick : layout_.scale.ticks()) {
      out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                          layout_.left, py(tick), layout_.left + layout_.plot_width, py(tick));
      text(layout_.left - 8, py(tick) + 4.5, "end", Layout::tick_label(tick));
    }
    double x = margin - 4;
    for (const std::string& line : layout_.y_words)
      text(0, 0, "middle", line,
           fmt::format("transform=\"translate({:.1f} {:.1f}) rotate(-90)\"", x += line_height,
                       layout_.top + plot_height / 2));
  }

  void horizontal_axis() {
    for (std::size_t i = 0; i < plot_.x_ticks.size(); ++i) {
      const double x = layout_.left + layout_.tick_at[i];
      out_ +=
          fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#222\"/>\n",
                      x, bottom(), bottom() + 5);
      if (!layout_.tick_named[i]) continue;
      if (layout_.turned)
        text(0, 0, "end", plot_.x_ticks[i].label,
             fmt::format("transform=\"translate({:.1f} {:.1f}) rotate(-{})\"", x + 4, bottom() + 16,
                         turned_degrees));
      else
        text(x, bottom() + 20, "middle", plot_.x_ticks[i].label);
    }
    out_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" fill=\"none\" stroke=\"#222\"/>\n",
                        layout_.left, layout_.top, bottom(), layout_.left + layout_.plot_width);
    double y = bottom() + layout_.ticks_height;
    for (const std::string& line : layout_.x_words)
      text(layout_.left + layout_.plot_width / 2, y += line_height, "middle", line);
  }

  void line_of(std::size_t s) {
    const PlotSeries& series = plot_.series[s];
    const std::string_view colour = colours[s % colours.size()];
    std::string path;
    for (std::size_t i = 0; i < series.x.size(); ++i)
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", px(series.x[i]), py(series.y[i]));
    out_ += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n", path,
        colour, dash_of(s));
    for (std::size_t i = 0; i < series.low.size(); ++i)
      out_ += fmt::format(
          "<path class=\"bar\" d=\"M{0:.1f} {1:.1f}h10m-5 0V{2:.1f}m-5 0h10\" fill=\"none\" "
          "stroke=\"{3}\"/>\n",
          px(series.x[i]) - 5, py(series.low[i]), py(series.high[i]), colour);
    for (std::size_t i = 0; i < series.x.size(); ++i)
      out_ += marker(s, px(series.x[i]), py(series.y[i]), colour) + "\n";
  }

  void legend() {
    const double x = layout_.left + layout_.plot_width + 20;
    double y = layout_.top - 6;
    for (const std::string& line : layout_.heading)
      text(x, y += line_height, "start", line, "font-weight=\"bold\"");
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      if (layout_.names[s].empty()) continue;
      y += 4;
      const std::string_view colour = colours[s % colours.size()];
      const double middle = y + line_height - 4.5;
      out_ += fmt::format(
          "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" stroke=\"{3}\" "
          "stroke-width=\"2\" stroke-dasharray=\"{4}\"/>\n",
          x, middle, x + 32, colour, dash_of(s));
      out_ += marker(s, x + 16, middle, colour) + "\n";
      for (const std::string& line : layout_.names[s])
        text(x + legend_sample, y += line_height, "start", line);
    }
  }

  const LinePlot& plot_;
  Layout layout_;
  std::string out_;
};

}  // namespace

std::string to_svg(const LinePlot& plot) {
  return Drawing(plot).draw();
}

}  // namespace mpisim::app
