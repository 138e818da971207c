import { Group, Select, TextInput } from '@mantine/core';
import type { Price } from '@propusk/contract/plans';
import { type Currency, currencies, minorDigits } from '@propusk/contract/reference/currencies';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';

const names = new Intl.DisplayNames('ru', { type: 'currency' });
const options = currencies.map((value) => ({ value, label: `${value} · ${names.of(value)}` }));

/** The field `price` of a form: an amount that the user types in major units, and its currency. */
export function PriceField<V extends FieldValues, O>({ control }: { control: Control<V, unknown, O> }) {
  const { field, fieldState } = useController({ control, name: 'price' as FieldPath<V> });
  const { ref, onBlur, onChange } = field;
  const price = field.value as Price | undefined;
  const [typed, setTyped] = useState(() => textOf(price));
  const [currency, setCurrency] = useState<Currency>(price?.currency ?? 'RUB');
  // The form was reloaded after another user's save: show its price, not the typed one.
  const stale = JSON.stringify(price) !== JSON.stringify(priceOf(typed, currency));
  const text = stale ? textOf(price) : typed;
  const shownCurrency = (stale && price?.currency) || currency;
  function change(nextText: string, next: Currency) {
    setTyped(nextText);
    setCurrency(next);
    onChange(priceOf(nextText, next));
  }
  return (
    <Group align="flex-start" gap="sm" wrap="nowrap" grow>
      <TextInput
        label={t.plans.amount}
        description={t.plans.amountHint}
        inputMode="decimal"
        autoComplete="off"
        ref={ref}
        onBlur={onBlur}
        error={fieldState.error && t.plans.noAmount}
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value, shownCurrency)}
      />
      <Select
        label={t.plans.currency}
        description={t.plans.currencyHint}
        data={options}
        value={shownCurrency}
        onChange={(next) => change(text, next ?? shownCurrency)}
        searchable
        allowDeselect={false}
        nothingFoundMessage={t.common.notFoundOption}
      />
    </Group>
  );
}

function textOf(price: Price | undefined): string {
  if (price === undefined) return '';
  const digits = minorDigits(price.currency);
  return (price.amount / 10 ** digits)
    .toFixed(price.amount % 10 ** digits === 0 ? 0 : digits)
    .replace('.', ',');
}

/** Reads a typed amount, such as `1 490,50`. @returns undefined for an empty text; the amount NaN for an invalid text */
function priceOf(typed: string, currency: Currency): Price | undefined {
  const text = typed.replaceAll(/\s/g, '').replace(',', '.');
  if (text === '') return undefined;
  const digits = minorDigits(currency);
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  const amount =
    whole === '' || fraction.length > digits ? Number.NaN : Number(whole + fraction.padEnd(digits, '0'));
  return { amount, currency };
}
