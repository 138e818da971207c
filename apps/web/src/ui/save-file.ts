/** Lets the browser save a file under its name. */
export function saveFile(file: File): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Saves rows as a CSV file for a Russian Excel. An apostrophe keeps a spreadsheet from running a cell as a formula. */
export function saveCsv(name: string, rows: readonly (readonly string[])[]): void {
  const quoted = (cell: string) => `"${cell.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
  const lines = rows.map((cells) => `${cells.map(quoted).join(';')}\r\n`);
  saveFile(new File(['\ufeff', ...lines], name, { type: 'text/csv' }));
}
