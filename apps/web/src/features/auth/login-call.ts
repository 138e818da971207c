import { Login, login } from '@propusk/contract/auth';
import { FactorConfirmation } from '@propusk/contract/fields';
import { call } from '../../api/call.ts';
import { contractResolver } from '../../common/use-contract-form.ts';

/** The resolver of the login form. */
export const resolver = contractResolver(Login);

/** The resolver of the second factor's code. */
export const codeResolver = contractResolver(FactorConfirmation);

/** Signs in. */
export const send = (body: Login) => call(login, { body });
