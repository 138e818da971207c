import {
  AsYouType,
  type CountryCode,
  type PhoneNumber,
  parseIncompletePhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';

/** A phone number as read from typed or pasted text. */
export interface ReadPhone {
  /** The text formatted for the field; it never has the form of E.164 while the number is unfinished. */
  text: string;
  /** The number in E.164; undefined while it is unfinished or longer than its country allows. */
  e164: string | undefined;
  /** The country of the number; undefined while the digits do not determine it. */
  country: CountryCode | undefined;
}

/**
 * Reads a phone number in any usual spelling, with the metadata of libphonenumber-js.
 * @param typed such as '8 912 345-67-89', '+7(912)3456789', '0079123456789', '79123456789'
 * @param home the country of a number without a calling code
 */
export function readPhone(typed: string, home: CountryCode = 'RU'): ReadPhone {
  const spelled = spell(typed, home);
  const typing = new AsYouType(home);
  const text = typing.input(spelled);
  const number = finished(spelled, home);
  const country = number?.country ?? typing.getCountry();
  if (number !== undefined || !/^\+\d{7}/.test(text)) return { text, e164: number?.number, country };
  // The library adds no space to a number that it cannot format, and the schema would accept it as E.164. This adds a space.
  const calling = typing.getCallingCode() ?? text.charAt(1);
  return { text: `+${calling} ${text.slice(calling.length + 1)}`, e164: undefined, country };
}

/** Keeps the digits and a leading plus, and replaces an international dialling prefix with the plus. */
function spell(typed: string, home: CountryCode): string {
  const digits = parseIncompletePhoneNumber(typed).replace(/^00/, '+');
  // No Russian area code begins with 7 or 10, so both are the beginning of an international number.
  return home === 'RU' ? digits.replace(/^810/, '+').replace(/^7/, '+7') : digits;
}

function finished(spelled: string, home: CountryCode): PhoneNumber | undefined {
  if (spelled.startsWith('+')) {
    const number = parsePhoneNumberFromString(spelled);
    return number?.isPossible() ? number : undefined;
  }
  // Ten digits that begin with 8 may have an area code such as 812, but are more often an 8 and nine of the number's ten digits.
  if (home === 'RU' && /^8\d{9}$/.test(spelled)) return undefined;
  const readings = [parsePhoneNumberFromString(spelled, home), parsePhoneNumberFromString(`+${spelled}`)];
  return readings.find((number) => number?.isValid());
}

/**
 * Finds the caret's place in a formatted text: directly after the digit that the caret follows in the raw text. Counts the
 * digits behind the caret, because formatting may change those before the caret, such as '00' to '+'.
 * @param raw the text as the browser changed it, with the caret at `caret`
 */
export function placeCaret(raw: string, caret: number, text: string): number {
  let behind = raw.slice(caret).replace(/[^\d+]/g, '').length;
  let place = text.length;
  for (; place > 0; place--) {
    if (/[\d+]/.test(text.charAt(place - 1)) && behind-- === 0) break;
  }
  return place;
}
