/**
 * The server counts code points (as Python does), JavaScript counts UTF-16 units. They differ behind the first
 * character outside the basic plane, such as an emoji in a string: every offset passes through here.
 */
export function unitsOf(text: string): (offset: number) => number {
  if (!/[\ud800-\udbff]/.test(text)) return (offset) => offset;
  const at: number[] = [];
  let unit = 0;
  for (const character of text) {
    at.push(unit);
    unit += character.length;
  }
  at.push(unit);
  return (offset) => at[Math.min(offset, at.length - 1)] ?? unit;
}
