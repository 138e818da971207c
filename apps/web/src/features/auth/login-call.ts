import { Login, login } from '@propusk/contract/auth';
import { FactorConfirmation } from '@propusk/contract/fields';
import { call } from '../../api/call.ts';
import { contractResolver } from '../../forms/use-contract-form.ts';

/** The resolver of the login form. */
export const resolver = contractResolver(Login);

/** The resolver of the second factor's code. */
export const codeResolver = contractResolver(FactorConfirmation);

/** Sends the email and the password, and a code where the user has a second factor. */
export const send = (body: Login) => call(login, { body });
