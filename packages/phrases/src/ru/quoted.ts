/** A name in quotation marks. Marks inside the name become inner ones; a name that is quoted as a whole keeps its own. */
export function quoted(name: string): string {
  if (/^«[^«»]*»$/.test(name)) return name;
  return `«${name.replaceAll('«', '„').replaceAll('»', '“')}»`;
}
