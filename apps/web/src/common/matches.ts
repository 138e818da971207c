/** Whether a label contains the query, ignoring case and the dots of the Russian letter yo. */
export function matches(label: string, typed: string): boolean {
  return folded(label).includes(folded(typed.trim()));
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll('\u0451', '\u0435');
}
