import * as t from '@propusk/phrases/console';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { DayInput } from '../../forms/day-input.tsx';
import { useField } from '../../forms/fields.tsx';

/**
 * A field for the last day of a plan or a trial, in the browser's time zone. Its value is the end of that day, or a text that the
 * schema refuses.
 */
export function LastDayField<V extends FieldValues, O>(props: {
  control: Control<V, unknown, O>;
  of: 'plan' | 'trial';
}) {
  const { control, of } = props;
  const { value, onChange } = useField({ control, name: `${of}EndsAt` as FieldPath<V> });
  return (
    <DayInput
      label={t.companyPage[`${of}Ends`]}
      description={t.companyPage[`${of}EndsHint`]}
      value={typeof value === 'string' ? localDay(value) : ''}
      onOther={onChange}
      onDay={(day) => onChange(day === '' ? undefined : new Date(`${day}T23:59:59`).toISOString())}
    />
  );
}

/** Formats a time as yyyy-mm-dd (the sv-SE locale) in the browser's time zone. Leaves a text that is no ISO time as it is. */
const localDay = (iso: string) => (iso.includes('T') ? new Date(iso).toLocaleDateString('sv') : iso);
