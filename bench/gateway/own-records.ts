import { RecordBudget } from '../../apps/gateway/src/records/record-budget.ts';

/** Loaded into a gateway before it starts. The budgets of records never run out, so each visit has its own record. */
RecordBudget.prototype.take = () => {};
