/** How well a text fits what is typed: every word must begin a word of it, or be in it; 0 is no fit. */
export function fit(typed: string, text: string): number {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const where = text.toLowerCase();
  let score = 1;
  for (const word of words) {
    const at = where.indexOf(word);
    if (at < 0) return 0;
    score += at === 0 ? 3 : /[^\p{L}\p{N}]/u.test(where[at - 1] ?? " ") ? 2 : 0.5;
  }
  return score;
}

/** Those that fit, the best first; equals stay in their order. */
export function ranked<T>(typed: string, all: readonly T[], textOf: (one: T) => string): T[] {
  return all
    .map((one) => ({ one, score: fit(typed, textOf(one)) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}
