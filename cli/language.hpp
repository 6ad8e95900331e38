// The languages of the guide, and what `lockstep learn` says in each of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/model/table.hpp"

namespace lockstep::cli {

enum class Language : std::uint8_t { en, zh };

/// Where `{}` or `{0}` stand, numbers, letters and texts are put in.
struct LanguageRow {
  Language value;
  const char* name;
  const char* answer;      ///< before and behind the letter with which an answer begins
  const char* answer_end;  ///< in the guide
  const char* lesson;      ///< number, how many there are, title
  const char* to_begin;    ///< prompts: what Enter does, and what else may be typed
  const char* to_run;
  const char* to_answer;  ///< letters
  const char* to_go_on;
  const char* not_understood;
  const char* right;  ///< the letter, and what it stands for
  const char* wrong;  ///< the letter that was guessed; that of the answer, and what it stands for
  const char* answered;    ///< nobody was asked: the letter, and what it stands for
  const char* score;       ///< how many guesses were right, and how many there were
  const char* no_picture;  ///< no run has been shown yet
};

inline constexpr auto kLanguageTable = std::to_array<LanguageRow>({
    {Language::en, "en", "Answer: ", ". ", "Lesson {} of {}: {}",
     "Enter: begin (c: contents, 4: lesson 4, q: quit) > ",
     "Enter: run it (b: back, c: contents, p: picture, 4: lesson 4, q: quit) > ",
     "{}? (Enter: no guess; also back, contents, picture, 4, q) > ",
     "Enter: go on (b: back, c: contents, p: picture, 4: lesson 4, q: quit) > ",
     "`{}` is none of these.", "You said {0}, and so it is: {1}", "You said {0}; it is {1}: {2}",
     "It is {0}: {1}", "{} of {} right.", "No run has been shown yet."},
    {Language::zh, "zh", "答案：", "。", "第 {} 课（共 {} 课）：{}",
     "回车：开始（c：目录，4：第 4 课，q：退出）> ",
     "回车：运行（b：上一课，c：目录，p：画图，4：第 4 课，q：退出）> ",
     "{}？（回车：不猜；也可以输入 back、contents、picture、4、q）> ",
     "回车：继续（b：上一课，c：目录，p：画图，4：第 4 课，q：退出）> ", "没有 `{}` 这个选择。",
     "你选了 {0}，正是如此：{1}", "你选了 {0}；答案是 {1}：{2}", "答案是 {0}：{1}",
     "答对 {} 题，共回答 {} 题。", "还没有显示过运行。"},
});
static_assert(sim::is_complete(kLanguageTable));
constexpr const auto& table_of(Language) { return kLanguageTable; }
constexpr const char* name(Language language) { return sim::row(language).name; }

/// What --language says. Throws BadInput.
Language language_of(const std::string& given);

}  // namespace lockstep::cli
