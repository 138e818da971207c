/** Whether a label contains every word of the query, ignoring case and the dots of the Russian letter yo. */
export function matches(label: string, typed: string): boolean {
  const text = folded(label);
  return folded(typed)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll('\u0451', '\u0435');
}
