"use strict";
// Fills the tables of cases. Texts become text nodes, never markup.
(() => {
  const CHUNK = 50;
  const RESULTS = 4;
  const NEGATIVE = ["false injection", "silent"];
  const GOOD = ["found", "right label", "right answer", "silent"];
  const BAD = ["raised", "missed", "no label", "other label", "wrong answer", "stale came back", "false injection"];
  const collator = new Intl.Collator("en", { numeric: true });

  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const unseen = (text) => make("span", { class: "unseen" }, text);
  // Isolated, so that right-to-left text can't reorder what stands beside it.
  const foreign = (text, kind = "text") => make("bdi", { class: kind }, text);
  const number = (score) => (score === null ? "–" : score.toFixed(3));
  const grouped = (amount) => amount.toLocaleString("en");
  const count = (amount, noun) => `${grouped(amount)} ${noun}${amount === 1 ? "" : "s"}`;

  class CaseTable {
    constructor(root) {
      this.root = root;
      this.table = root.querySelector("table");
      this.body = this.table.tBodies[0];
      this.more = root.querySelector(".more");
      this.status = root.querySelector(".status");
      this.controls = Object.fromEntries(
        [...root.querySelectorAll("[name]")].map((control) => [control.name, control]),
      );
      this.sorting = { key: "outcome", down: false };
    }

    start() {
      if (this.data) return;
      this.data = JSON.parse(this.root.querySelector("script").textContent);
      for (const control of Object.values(this.controls)) {
        control.addEventListener("input", () => this.update());
      }
      for (const header of this.table.querySelectorAll("[data-sort]")) {
        header.firstElementChild.addEventListener("click", () => this.sortBy(header.dataset.sort));
      }
      this.more.firstElementChild.addEventListener("click", () => this.showMore());
      this.update();
    }

    sortBy(key) {
      this.sorting = { key, down: this.sorting.key === key && !this.sorting.down };
      this.update();
    }

    update() {
      this.metric = Number(this.controls.metric.value);
      this.places = this.sorted(this.filtered());
      for (const header of this.table.querySelectorAll("[data-sort]")) {
        const { key, down } = this.sorting;
        if (header.dataset.sort !== key) header.removeAttribute("aria-sort");
        else header.setAttribute("aria-sort", down ? "descending" : "ascending");
      }
      this.body.replaceChildren();
      this.shown = 0;
      this.append();
    }

    filtered() {
      const { outcome, change, groups, outcomes, changes, id } = this.data;
      const tag = this.controls.tag.value;
      const [kind, word] = this.controls.outcome.value.split(/ (.*)/);
      const wanted = (kind === "change" ? changes : outcomes).indexOf(word);
      const column = kind === "change" ? change : outcome;
      const words = this.controls.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      return [...id.keys()].filter(
        (place) =>
          (!kind || column[place] === wanted) &&
          (!tag || groups[place].includes(Number(tag))) &&
          (!words.length || words.every((each) => this.haystack(place).includes(each))),
      );
    }

    haystack(place) {
      this.texts ??= [];
      return (this.texts[place] ??= this.textOf(place).toLowerCase());
    }

    textOf(place) {
      const { id, query, expected, stale, ranking, ids, error, answer, answers, groups, tags } = this.data;
      const found = [...expected[place], ...stale[place]].map(([known]) => known).concat(ranking[place]);
      return [
        id[place],
        query[place],
        error[place] ?? "",
        answer[place] ?? "",
        ...(answers[place] ?? []),
        ...found.map((known) => ids[known]),
        ...groups[place].map((group) => tags[group]),
      ].join("\n");
    }

    sorted(places) {
      const { key, down } = this.sorting;
      const values = places.map((place) => this.sortValue(key, place));
      const order = key === "id" ? collator.compare : (a, b) => a - b;
      const compare = (a, b) => {
        // What has no value stays last whichever way the others go.
        if (values[a] === null || values[b] === null) return (values[a] === null) - (values[b] === null) || a - b;
        return (down ? -1 : 1) * order(values[a], values[b]) || a - b;
      };
      return [...places.keys()].sort(compare).map((index) => places[index]);
    }

    sortValue(key, place) {
      if (key === "id") return this.data.id[place];
      if (key === "rank") return this.bestRank(place);
      if (key === "score") return this.score("scores", place, this.metric) ?? null;
      const { outcome, change, changes } = this.data;
      const isWorse = this.data.compared && changes[change[place]] === "lost";
      return outcome[place] === 0 ? -2 : isWorse ? -1 : outcome[place];
    }

    bestRank(place) {
      const ranks = this.data.expected[place].map(([, , now]) => now || Infinity);
      return ranks.length ? Math.min(...ranks, this.data.k + 1) : null;
    }

    // undefined: the metric is not about the case; null: it has no value.
    score(column, place, metric) {
      const value = this.data[column][place][metric];
      return value === false ? undefined : value;
    }

    append() {
      const next = this.places.slice(this.shown, this.shown + CHUNK);
      this.body.append(...next.map((place) => this.row(place)));
      this.shown += next.length;
      const left = this.places.length - this.shown;
      this.more.hidden = left === 0;
      this.more.firstElementChild.textContent = `Show ${Math.min(CHUNK, left)} more`;
      const all = count(this.data.id.length, "case");
      const some = this.places.length < this.data.id.length ? `${grouped(this.places.length)} of ${all}` : all;
      this.status.textContent = left ? `${some}, the first ${grouped(this.shown)} shown` : some;
    }

    showMore() {
      const before = this.shown;
      this.append();
      const first = this.body.querySelectorAll("button[aria-expanded]")[before];
      if (this.more.hidden && first) first.focus();
    }

    row(place) {
      const { id, query, groups, tags } = this.data;
      const button = make("button", { type: "button", "aria-expanded": "false", class: "expand" }, foreign(id[place]));
      const header = make("th", { scope: "row", role: "rowheader", class: "case" }, button);
      header.append(foreign(query[place], "query text"));
      header.append(...groups[place].map((group) => foreign(tags[group], "tag text")));
      const row = make(
        "tr",
        { role: "row" },
        header,
        this.cell("Expected", this.expected(place)),
        this.cell("Came back", this.returned(place)),
        this.cell("Score", this.scoreText(place)),
        this.cell("Outcome", this.outcome(place)),
      );
      button.addEventListener("click", () => this.toggle(button, row, place));
      return row;
    }

    cell(label, children) {
      return make("td", { role: "cell" }, make("span", { class: "label", "aria-hidden": "true" }, label), ...children);
    }

    expected(place) {
      const { expected, stale, answers, compared, outcomes, outcome } = this.data;
      const items = expected[place].map(([id, , now, before]) => this.rankItem(id, now, before, ""));
      items.push(...stale[place].map(([id, , now, before]) => this.rankItem(id, now, before, "stale")));
      const lists = items.length ? [make("ul", { class: compared ? "ranks compared" : "ranks" }, ...items)] : [];
      // A negative may have answers, and still nothing should come back.
      if (!lists.length && (!answers[place] || NEGATIVE.includes(outcomes[outcome[place]])))
        lists.push(make("span", { class: "small" }, "nothing"));
      if (answers[place]) lists.push(this.answers(answers[place]));
      return lists;
    }

    answers(texts) {
      return make("ul", { class: "answers" }, ...texts.map((text) => make("li", {}, foreign(text || "(empty)"))));
    }

    rankItem(id, now, before, mark) {
      const item = make("li", {}, foreign(this.data.ids[id]), " ");
      if (this.data.classified) return item;
      if (mark) item.append(make("span", { class: "mark" }, mark), " ");
      const moved = before !== undefined && before !== now;
      const bad = mark === "stale" ? now > 0 : now === 0;
      const ranks = make("span", { class: bad ? "rank bad" : "rank" });
      if (moved) ranks.append(make("span", { class: "small" }, before ? `${before}` : "absent"), " → ");
      ranks.append(now ? `${now}` : mark ? "absent" : "missing");
      item.append(ranks);
      return item;
    }

    returned(place) {
      const { ranking, error, answer, unseen: left } = this.data;
      if (error[place]) return [make("span", { class: "bad" }, "raised")];
      const ids = ranking[place];
      if (this.data.classified && !ids.length) return [make("span", { class: "small" }, "no label")];
      if (this.data.classified) return ids.map((id) => foreign(this.data.ids[id], this.kindOf(place, id)[0]));
      const parts = answer[place] ? [this.answers([answer[place]])] : [];
      if (ids.length)
        parts.push(make("ol", { class: "results" }, ...ids.slice(0, RESULTS).map((id) => this.result(place, id))));
      const rest = ids.length - RESULTS + (left[place] ?? 0);
      if (rest > 0) parts.push(make("span", { class: "small" }, `${rest} more`));
      return parts.length ? parts : [make("span", { class: "small" }, "nothing")];
    }

    result(place, id) {
      const [kind, word] = this.kindOf(place, id);
      const item = make("li", { class: kind });
      item.append(foreign(this.data.ids[id]));
      if (word) item.append(" ", make("span", { class: "mark" }, word));
      return item;
    }

    kindOf(place, id) {
      const { expected, stale } = this.data;
      const judged = expected[place].find(([known]) => known === id);
      if (stale[place].some(([known]) => known === id)) return ["stale", "stale"];
      if (!judged) return ["other", ""];
      return judged[1] > 0 ? ["hit", judged[1] === 1 ? "hit" : `grade ${judged[1]}`] : ["other", `grade ${judged[1]}`];
    }

    scoreText(place) {
      const now = this.score("scores", place, this.metric);
      const before = this.score("before", place, this.metric);
      if (now === undefined) return [make("span", { class: "small" }, "not asked")];
      const texts = [make("span", { class: "value" }, number(now))];
      if (before !== undefined && before !== now) texts.push(make("span", { class: "small" }, `was ${number(before)}`));
      return texts;
    }

    outcome(place) {
      const { outcome, outcomes, change, changes, compared } = this.data;
      const word = outcomes[outcome[place]];
      const kind = GOOD.includes(word) ? "good" : BAD.includes(word) ? "bad" : "plain";
      const texts = [make("span", { class: kind }, word)];
      const since = changes[change[place]];
      if (compared && since !== "same") {
        const sign = { lost: "▼ ", gained: "▲ " }[since] ?? "";
        const element = make("span", { class: `since ${since.split(" ")[0]}` }, unseen("since the baseline: "));
        element.append(make("span", { "aria-hidden": "true" }, sign), since);
        texts.push(element);
      }
      return texts;
    }

    toggle(button, row, place) {
      const opening = button.getAttribute("aria-expanded") === "false";
      button.setAttribute("aria-expanded", String(opening));
      if (!opening) {
        row.nextElementSibling.remove();
        button.removeAttribute("aria-controls");
        return;
      }
      const id = `${this.root.id}-${place}`;
      const cell = make("td", { colspan: 5, role: "cell" }, ...this.details(place));
      row.after(make("tr", { class: "details", id, role: "row" }, cell));
      button.setAttribute("aria-controls", id);
    }

    details(place) {
      const { query, error, status, answer, answers, args, latency, line, rankings, groups, tags, classified } = this.data;
      const facts = make("dl");
      const add = (term, ...texts) => facts.append(make("dt", {}, term), make("dd", {}, ...texts));
      add(classified ? "input" : "query", query[place] ? foreign(query[place]) : "empty");
      if (error[place]) add("error", foreign(error[place], "text bad"));
      if (status[place]) add("status", foreign(status[place]));
      if (answer[place]) add(classified ? "output" : "answer", foreign(answer[place]));
      if (answers[place]) add("expected answers", this.answers(answers[place]));
      if (args[place]) add("args", make("code", { class: "text" }, args[place]));
      add("tags", groups[place].map((group) => tags[group]).join(", "));
      if (latency[place] !== null) add("latency", `${latency[place]} ms`);
      if (line[place] !== null) add("line", `${line[place]} of the suite`);
      if (rankings[place]) add("repeats", `gave ${rankings[place]} different ${classified ? "labels" : "rankings"}; the first is shown`);
      if (classified) return [facts, this.scores(place)];
      return [facts, make("div", { class: "columns" }, this.ranking(place), this.scores(place))];
    }

    ranking(place) {
      const { ranking, ids, error, unseen: left } = this.data;
      const none = error[place] ? "It raised, so there is no ranking." : "Nothing came back.";
      const rows = ranking[place].map((id, index) => {
        const [kind, word] = this.kindOf(place, id);
        return make(
          "tr",
          { class: kind },
          make("td", { class: "number" }, `${index + 1}`),
          make("td", {}, foreign(ids[id])),
          make("td", {}, word ? make("span", { class: "mark" }, word) : ""),
        );
      });
      if (!rows.length) return make("p", { class: "small" }, none);
      const all = rows.length + (left[place] ?? 0);
      const cut = all > rows.length;
      const caption = cut ? `The first ${rows.length} of ${grouped(all)} that came back` : "What came back";
      return this.small(caption, ["rank", "memory", "judged"], rows);
    }

    scores(place) {
      const { metrics, compared } = this.data;
      const rows = metrics.flatMap((metric, index) => {
        const now = this.score("scores", place, index);
        const before = this.score("before", place, index);
        if (now === undefined) return [];
        const row = make("tr", {}, make("th", { scope: "row", class: "text" }, metric));
        row.append(make("td", { class: "number" }, number(now)));
        if (compared) row.append(make("td", { class: "number" }, before === undefined ? "" : number(before)));
        return [row];
      });
      return rows.length
        ? this.small("Scores", compared ? ["metric", "now", "baseline"] : ["metric", "now"], rows)
        : make("p", { class: "small" }, "No metric is about this case.");
    }

    small(caption, headers, rows) {
      const cells = headers.map((header) => make("th", { scope: "col" }, header));
      return make(
        "table",
        {},
        make("caption", {}, caption),
        make("thead", {}, make("tr", {}, ...cells)),
        make("tbody", {}, ...rows),
      );
    }
  }

  const tables = new Map();
  for (const root of document.querySelectorAll("[data-cases]")) {
    tables.set(root, new CaseTable(root));
    for (const part of root.querySelectorAll(".controls, table")) part.hidden = false;
  }
  // A page may hold many suites: a table is filled when it comes near.
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        observer.unobserve(target);
        tables.get(target).start();
      }
    },
    { rootMargin: "1000px" },
  );
  for (const root of tables.keys()) observer.observe(root);
  addEventListener("beforeprint", () => tables.forEach((table) => table.start()));
})();
