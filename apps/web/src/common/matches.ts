/** Whether a label holds what was typed, the way people type: without regard to case, and to the dots of a yo. */
export function matches(label: string, typed: string): boolean {
  return folded(label).includes(folded(typed.trim()));
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll('\u0451', '\u0435');
}
