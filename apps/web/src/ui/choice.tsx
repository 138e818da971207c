import { useId } from 'react';
import classes from './choice.module.css';

/** A radio group of few options in one row, which wraps. */
export function Choice<Value extends string>(props: {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className={classes.choice}>
      <legend>{props.label}</legend>
      <div className={classes.options}>
        {props.options.map(({ value, label }) => (
          <label key={value} className={classes.option}>
            <input
              type="radio"
              name={name}
              value={value}
              checked={value === props.value}
              onChange={() => props.onChange(value)}
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
