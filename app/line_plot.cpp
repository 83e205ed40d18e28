#include "app/line_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace mpisim::app {

namespace {

constexpr double width = 720;
constexpr double height = 440;
constexpr double left = 80;
constexpr double right = 170;
constexpr double top = 48;
constexpr double bottom = 60;
constexpr double plot_width = width - left - right;
constexpr double plot_height = height - top - bottom;

// Colours that stay apart in grey and for colour-blind readers (Okabe and Ito).
constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};
constexpr std::array<std::string_view, 4> dashes{"none", "7 4", "2 3", "9 3 2 3"};

// Markers repeat after four series, together with other dashes then: in grey no two of 16 series look alike.
std::string_view dash_of(std::size_t series) {
  return dashes[(series + series / 4) % dashes.size()];
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
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

class Drawing {
 public:
  explicit Drawing(const LinePlot& plot) : plot_(plot) {
    for (const PlotSeries& series : plot.series) {
      for (const double x : series.x) {
        if (std::ranges::find(positions_, scaled(x)) == positions_.end()) positions_.push_back(scaled(x));
      }
      for (const double y : series.y) largest_ = std::max(largest_, y);
    }
    std::ranges::sort(positions_);
    if (largest_ <= 0) largest_ = 1;
    step_ = nice_step(largest_, 6);
    y_top_ = std::ceil(largest_ / step_ - 1e-9) * step_;
  }

  std::string draw() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        width, height);
    text(left, 26, "start", plot_.title, "font-size=\"15\" font-weight=\"bold\"");
    axes();
    lines();
    legend();
    return out_ + "</svg>\n";
  }

 private:
  double scaled(double x) const { return plot_.log_x ? std::log2(x) : x; }
  double px(double x) const {
    const double low = positions_.front();
    const double high = positions_.back();
    if (low == high) return left + plot_width / 2;
    // A margin on both sides keeps markers off the frame.
    return left + 16 + (scaled(x) - low) / (high - low) * (plot_width - 32);
  }
  double py(double y) const { return top + plot_height - y / y_top_ * plot_height; }

  void text(double x, double y, std::string_view anchor, std::string_view words, std::string_view more = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor,
                        more, escaped(words));
  }

  void axes() {
    const int ticks = static_cast<int>(std::lround(y_top_ / step_));
    for (int i = 0; i <= ticks; ++i) {
      const double y = py(i * step_);
      out_ += fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", left,
                          y, left + plot_width, y);
      text(left - 8, y + 4.5, "end", fmt::format("{:.6g}", i * step_));
    }
    for (const double position : positions_) {
      const double value = plot_.log_x ? std::exp2(position) : position;
      const double x = px(value);
      out_ += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#222\"/>\n", x,
                          top + plot_height, top + plot_height + 5);
      const bool named = !plot_.categories.empty();
      text(x, top + plot_height + 20, "middle",
           named ? plot_.categories[static_cast<std::size_t>(position)] : fmt::format("{:.6g}", value));
    }
    out_ += fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"#222\"/>\n", left, top,
                        top + plot_height, left + plot_width);
    text(left + plot_width / 2, height - 16, "middle", plot_.x_label);
    text(0, 0, "middle", plot_.y_label,
         fmt::format("transform=\"translate(20 {:.1f}) rotate(-90)\"", top + plot_height / 2));
  }

  void lines() {
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const PlotSeries& series = plot_.series[s];
      std::string path;
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", px(series.x[i]), py(series.y[i]));
      }
      const std::string_view colour = colours[s % colours.size()];
      out_ += fmt::format(
          "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n", path,
          colour, dash_of(s));
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        out_ += marker(s, px(series.x[i]), py(series.y[i]), colour) + "\n";
      }
    }
  }

  void legend() {
    const double x = left + plot_width + 20;
    double y = top + 8;
    if (!plot_.series_label.empty()) text(x, y, "start", plot_.series_label, "font-weight=\"bold\"");
    for (std::size_t s = 0; s < plot_.series.size() && !plot_.series[s].name.empty(); ++s) {
      y += 22;
      const std::string_view colour = colours[s % colours.size()];
      out_ += fmt::format(
          "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" stroke=\"{3}\" "
          "stroke-width=\"2\" "
          "stroke-dasharray=\"{4}\"/>\n",
          x, y - 4, x + 32, colour, dash_of(s));
      out_ += marker(s, x + 16, y - 4, colour) + "\n";
      text(x + 40, y, "start", plot_.series[s].name);
    }
  }

  const LinePlot& plot_;
  std::vector<double> positions_;
  double largest_ = 0;
  double step_ = 1;
  double y_top_ = 1;
  std::string out_;
};

}  // namespace

double nice_step(double range, int parts) {
  const double raw = range / parts;
  const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * magnitude >= raw * (1 - 1e-9)) return factor * magnitude;
  }
  return 10 * magnitude;
}

std::string to_svg(const LinePlot& plot) {
  return Drawing(plot).draw();
}

}  // namespace mpisim::app
