import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Chip.css';
import '@mantine/core/styles/Group.css';
import { Chip, Group, Input } from '@mantine/core';

/** A labelled choice of one option. All options are visible. */
export function Choice<Value extends string>(props: {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value | undefined;
  onChange: (value: Value) => void;
}) {
  return (
    <Input.Wrapper label={props.label} labelElement="div">
      <Chip.Group value={props.value ?? null} onChange={props.onChange}>
        <Group gap={6} role="radiogroup" aria-label={props.label}>
          {props.options.map(({ value, label }) => (
            <Chip key={value} value={value} variant="outline" radius="sm">
              {label}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  );
}
