"use strict";
// Themes cycle: automatic, light, dark.
const theme = document.getElementById("theme");
const themes = ["automatic", "light", "dark"];
let chosen = 0;
theme.hidden = false;
theme.addEventListener("click", () => {
  chosen = (chosen + 1) % themes.length;
  if (chosen === 0) {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = themes[chosen];
  }
  theme.textContent = `Theme: ${themes[chosen]}`;
});
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.of).textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A page from disk may have no clipboard access. The selected text can be copied by hand.
      const range = document.createRange();
      range.selectNodeContents(document.getElementById(button.dataset.of));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}
