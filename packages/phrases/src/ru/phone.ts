/** Formats a phone number of country code 7 (E.164), as `+7 916 123-45-67`. Other numbers stay as they are. */
export function shownPhone(phone: string): string {
  return phone.replace(/^\+7(\d{3})(\d{3})(\d\d)(\d\d)$/, '+7 $1 $2-$3-$4');
}
