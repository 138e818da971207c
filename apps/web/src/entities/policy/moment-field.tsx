import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { DayInput, type DayInputProps } from '../../forms/day-input.tsx';
import { useField } from '../../forms/fields.tsx';
import { shownDay } from './moments.ts';

/** A field for a moment (moments.ts), shown as a day of a time zone. A time inside a day stays until the user types a day. */
export function MomentField<V extends FieldValues, O>({
  zone,
  isEnd = true,
  ...props
}: Pick<DayInputProps, 'label' | 'description'> & {
  control: Control<V, unknown, O>;
  name: FieldPath<V>;
  zone: string;
  isEnd?: boolean;
}) {
  const { value, onChange } = useField(props);
  return (
    <DayInput
      label={props.label}
      description={props.description}
      value={shownDay((value ?? '') as string, zone, isEnd)}
      onDay={onChange}
      onOther={onChange}
    />
  );
}
