<script src="/assets/deliberate.js"></script>
<p class="way"><a href="{{@SETTINGS}}">Settings</a></p>
<h1>Second factor</h1>
{{#DONE_REMOVED}}<p class="notice" role="status">The second factor is removed. You log in with your password alone.</p>
{{/DONE_REMOVED}}{{#DONE_PASSKEY}}<p class="notice" role="status">The passkey is added. You can use it at the next login.</p>
{{/DONE_PASSKEY}}{{#DONE_UNKEYED}}<p class="notice" role="status">The passkey is removed. Delete it from your device, too.</p>
{{/DONE_UNKEYED}}{{#ADDED}}<p class="notice" role="status">The second factor is set up. You are logged out everywhere else.</p>
{{/ADDED}}{{#MADE}}<section class="notice" role="status" aria-labelledby="made"><h2 id="made">Your recovery codes</h2>
<p>Each of them replaces a code of your authenticator once, for example if you lose your device. Keep them in a safe place: they are never shown again.</p>
<ul class="codes" id="codes">
{{#CODE}}<li><code>{{CODE}}</code></li>
{{/CODE}}</ul>
<button type="button" class="copy" data-copy="codes" hidden>Copy the codes</button></section>
{{/MADE}}{{#ON}}<p>When you log in, you enter a code of your authenticator after your password. Set up <time datetime="{{SINCE_EXACT}}" title="{{SINCE_FULL}}">{{SINCE}}</time> · {{LEFT}} left.</p>
{{/ON}}{{#PASSKEYS}}<section aria-labelledby="passkeys"><h2 id="passkeys">Passkeys</h2>
<p>A passkey replaces the code: after your password, you unlock your phone, computer or security key. Codes still work.</p>
{{#PASSKEY_PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PASSKEY_PROBLEM}}{{#LIST}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<fieldset><legend>Your passkeys</legend>
{{#ONE}}<label class="choice"><input type="radio" name="passkey" value="{{ID}}" required> <span><bdi>{{NAME}}</bdi><br><span class="meta">Added <time datetime="{{CREATED_EXACT}}" title="{{CREATED_FULL}}">{{CREATED}}</time> · {{#HAS_USE}}last used <time datetime="{{USED_EXACT}}" title="{{USED_FULL}}">{{USED}}</time>{{/HAS_USE}}{{#UNUSED}}not used yet{{/UNUSED}}</span></span></label>
{{/ONE}}</fieldset>
{{#PASSWORD}}<p hidden><label for="username-3">Email address</label><input id="username-3" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="password-3">Your password</label>
<input id="password-3" name="password" type="password" autocomplete="current-password" required{{#PASSWORD_WRONG}} aria-invalid="true" aria-describedby="password-problem-3"{{/PASSWORD_WRONG}}>
{{#PASSWORD_PROBLEM}}<span class="field-problem" id="password-problem-3">{{PROBLEM}}</span>{{/PASSWORD_PROBLEM}}</p>
{{/PASSWORD}}<p><button class="danger">Remove the chosen passkey</button></p>
</form>
{{/LIST}}{{#NO_NAME}}<p class="meta">Browsers keep passkeys for services with a name. The address of this one is a number, so none can be added.</p>
{{/NO_NAME}}{{#FULL}}<p class="meta">A user may have {{MOST}} passkeys. Remove one to add another.</p>
{{/FULL}}{{#ADD}}<form method="post" action="{{ACTION}}" accept-charset="utf-8" data-passkey="create" data-options="{{OPTIONS}}" hidden>
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="credential">
<p><label for="passkey-name">Name of the new passkey</label>
<input id="passkey-name" name="name" value="{{NAME}}" required maxlength="{{MOST}}" autocomplete="off" dir="auto" aria-describedby="passkey-hint{{#NAME_WRONG}} passkey-name-problem{{/NAME_WRONG}}"{{#NAME_WRONG}} aria-invalid="true"{{/NAME_WRONG}}>
<span class="meta" id="passkey-hint">So that you know later which device it is on.</span>
{{#NAME_PROBLEM}}<span class="field-problem" id="passkey-name-problem">{{PROBLEM}}</span>{{/NAME_PROBLEM}}</p>
{{#PASSWORD}}<p hidden><label for="username-4">Email address</label><input id="username-4" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="password-4">Your password</label>
<input id="password-4" name="password" type="password" autocomplete="current-password" required{{#PASSWORD_WRONG}} aria-invalid="true" aria-describedby="password-problem-4"{{/PASSWORD_WRONG}}>
{{#PASSWORD_PROBLEM}}<span class="field-problem" id="password-problem-4">{{PROBLEM}}</span>{{/PASSWORD_PROBLEM}}</p>
{{/PASSWORD}}<p class="problem" role="alert" data-problem hidden>No passkey was made. Try again, or use another device.</p>
<p><button>Add a passkey</button></p>
</form>
<p class="meta" data-without-passkeys>This browser cannot make passkeys here: they need scripts, a connection by https, and a browser of 2025 or newer.</p>
{{/ADD}}</section>
{{/PASSKEYS}}{{#RENEW}}<section aria-labelledby="renew"><h2 id="renew">New recovery codes</h2>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
{{#PASSWORD}}<p hidden><label for="username-1">Email address</label><input id="username-1" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="password-1">Your password</label>
<input id="password-1" name="password" type="password" autocomplete="current-password" required{{#PASSWORD_WRONG}} aria-invalid="true" aria-describedby="password-problem-1"{{/PASSWORD_WRONG}}>
{{#PASSWORD_PROBLEM}}<span class="field-problem" id="password-problem-1">{{PROBLEM}}</span>{{/PASSWORD_PROBLEM}}</p>
{{/PASSWORD}}<p><button>Make new recovery codes</button><br><span class="meta">Those that you have now stop working.</span></p>
</form></section>
{{/RENEW}}{{#REMOVE}}<section aria-labelledby="remove"><h2 id="remove">Remove the second factor</h2>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
{{#PASSWORD}}<p hidden><label for="username-2">Email address</label><input id="username-2" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="password-2">Your password</label>
<input id="password-2" name="password" type="password" autocomplete="current-password" required{{#PASSWORD_WRONG}} aria-invalid="true" aria-describedby="password-problem-2"{{/PASSWORD_WRONG}}>
{{#PASSWORD_PROBLEM}}<span class="field-problem" id="password-problem-2">{{PROBLEM}}</span>{{/PASSWORD_PROBLEM}}</p>
{{/PASSWORD}}<p><button class="danger">Remove the second factor</button><br><span class="meta">Then your password alone is enough to log in.</span></p>
</form></section>
{{/REMOVE}}{{#OFF}}{{#CODE_PROBLEM}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been set up yet:</p><ul>
<li><a href="#code">{{PROBLEM}}</a></li></ul></div>
{{/CODE_PROBLEM}}<p>With a second factor, your password alone is not enough to log in: you also enter a code that an authenticator application on your phone or computer shows.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="secret" value="{{SEALED}}">
<ol>
<li><p>Scan this picture with your authenticator, or add an account with the key (time-based, 6 digits):</p>
{{#PICTURE}}<p>{{SVG}}</p>
{{/PICTURE}}<p><label for="key">Key</label>
<textarea id="key" class="code" rows="2" readonly spellcheck="false">{{SECRET}}</textarea>
<button type="button" class="copy" data-copy="key" hidden>Copy the key</button></p>
<p><label for="uri">The same as an address, which some authenticators take</label>
<input id="uri" class="code" value="{{URI}}" readonly spellcheck="false" autocomplete="off">
<button type="button" class="copy" data-copy="uri" hidden>Copy the address</button></p></li>
<li><p><label for="code">Code that the authenticator shows</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required{{#CODE_WRONG}} aria-invalid="true" aria-describedby="code-problem"{{/CODE_WRONG}}>
{{#CODE_PROBLEM}}<span class="field-problem" id="code-problem">{{PROBLEM}}</span>{{/CODE_PROBLEM}}</p></li>
</ol>
{{#PASSWORD}}<p hidden><label for="username">Email address</label><input id="username" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="password">Your password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required{{#PASSWORD_WRONG}} aria-invalid="true" aria-describedby="password-problem"{{/PASSWORD_WRONG}}>
{{#PASSWORD_PROBLEM}}<span class="field-problem" id="password-problem">{{PROBLEM}}</span>{{/PASSWORD_PROBLEM}}</p>
{{/PASSWORD}}<p><button class="primary">Set up the second factor</button><br><span class="meta">You will be logged out everywhere else, and get ten recovery codes.</span></p>
</form>
{{/OFF}}
