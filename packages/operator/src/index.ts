/** The operator, for tests and measurements that run it in their own process. Nothing of the product imports it. */
export { createOperator, type Operator, type OperatorOptions } from './operator.ts';
