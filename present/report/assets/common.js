// Of every page: the theme, buttons that copy, the filter of findings, and printing.
"use strict";
(() => {
  const themes = ["automatic", "light", "dark"];
  const toggle = document.getElementById("theme");
  function stored() {
    // A page from disk may have no storage.
    try { return localStorage.getItem("weigh-theme"); } catch { return null; }
  }
  function applyTheme(theme) {
    if (theme === "automatic") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    toggle.textContent = `Theme: ${theme}`;
    try { localStorage.setItem("weigh-theme", theme); } catch { /* lasts until the page is closed */ }
  }
  let theme = themes.includes(stored()) ? stored() : "automatic";
  applyTheme(theme);
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    applyTheme(theme);
  });

  /** Copies by selection: a page from disk may have no clipboard. */
  function copySelected(element) {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  }
  document.querySelectorAll("pre").forEach((block) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const code = block.querySelector("code") ?? block;
      try { await navigator.clipboard.writeText(code.textContent); } catch { copySelected(code); }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.before(button);
  });

  const filter = document.getElementById("filter");
  if (filter) {
    const findings = [...document.querySelectorAll(".finding")];
    const groups = [...document.querySelectorAll("section[data-findings]")];
    const shown = document.getElementById("shown");
    const apply = () => {
      const chosen = new FormData(filter);
      const levels = chosen.getAll("level");
      const schema = chosen.get("schema") ?? "";
      findings.forEach((finding) => {
        const { level, schema: own } = finding.dataset;
        finding.hidden = !levels.includes(level) || (schema !== "" && own !== schema);
      });
      groups.forEach((group) => { group.hidden = !group.querySelector(".finding:not([hidden])"); });
      const count = findings.filter((finding) => !finding.hidden).length;
      shown.textContent = `${count} of ${findings.length} shown`;
    };
    filter.hidden = false;
    filter.addEventListener("input", apply);
    filter.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }

  // Print all folded details.
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((details) => { details.open = true; });
  });
})();
