import { TextInput, type TextInputProps } from '@mantine/core';
import { type ChangeEvent, useEffect, useEffectEvent, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { type Bound, labels, useField } from './fields.tsx';

type Reader = typeof import('./phone.ts');

/**
 * A field for a phone number, Russian unless a calling code is typed. It formats the number while the user types. The form's
 * value is the number in E.164, '' when the field is empty, and otherwise the unfinished text, which the schema `Phone` refuses.
 * The library loads with the first phone field; until then the value is the text as typed.
 */
export function PhoneField<V extends FieldValues, O>(
  props: Bound<V, O> & Pick<TextInputProps, 'autoComplete' | 'placeholder'>,
) {
  const field = useField(props);
  const value: string = field.value ?? '';
  const [reader, setReader] = useState<Reader>();
  const [typed, setTyped] = useState('');

  const read = (module: Reader, text: string) => {
    const phone = module.readPhone(text);
    return { ...phone, value: phone.e164 ?? phone.text };
  };
  const arrive = useEffectEvent((module: Reader) => {
    const known = read(module, value);
    if (known.value !== value) field.onChange(known.value);
    setReader(module);
  });
  useEffect(() => {
    import('./phone.ts').then(arrive, () => {});
  }, []);

  const change = ({ currentTarget: input }: ChangeEvent<HTMLInputElement>) => {
    if (reader === undefined) return field.onChange(input.value);
    const phone = read(reader, input.value);
    const caret = reader.placeCaret(input.value, input.selectionStart ?? input.value.length, phone.text);
    // React does not write to an input that already has the new value, so the caret stays in place.
    input.value = phone.text;
    input.setSelectionRange(caret, caret);
    setTyped(phone.text);
    field.onChange(phone.value);
  };

  // The form's value wins over the typed text, for instance after a reset.
  const own = reader && read(reader, typed);
  const shown = own?.value === value ? own : reader && read(reader, value);
  return (
    <TextInput
      {...labels(props)}
      {...field}
      type="tel"
      autoComplete={props.autoComplete ?? 'off'}
      placeholder={props.placeholder}
      rightSection={shown?.country}
      rightSectionPointerEvents="none"
      value={shown?.text ?? value}
      onChange={change}
    />
  );
}
