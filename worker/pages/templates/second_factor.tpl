<script src="/assets/deliberate.js"></script>
<h1>Second factor</h1>
{{#DONE_REMOVED}}<p class="notice" role="status">The second factor is removed. You log in with your password alone.</p>
{{/DONE_REMOVED}}{{#ADDED}}<p class="notice" role="status">The second factor is set up. You are logged out everywhere else.</p>
{{/ADDED}}{{#MADE}}<section class="notice" role="status" aria-labelledby="made"><h2 id="made">Your recovery codes</h2>
<p>Each of them replaces a code of your authenticator once, for example if you lose your device. Keep them in a safe place: they are never shown again.</p>
<ul class="codes" id="codes">
{{#CODE}}<li><code>{{CODE}}</code></li>
{{/CODE}}</ul>
<button type="button" class="copy" data-copy="codes" hidden>Copy the codes</button></section>
{{/MADE}}{{#ON}}<p>When you log in, you enter a code of your authenticator after your password. Set up <time datetime="{{SINCE_EXACT}}" title="{{SINCE_FULL}}">{{SINCE}}</time> · {{LEFT}} left.</p>
{{/ON}}{{#RENEW}}<section aria-labelledby="renew"><h2 id="renew">New recovery codes</h2>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
{{#PASSWORD}}<p hidden><label for="username-1">Email address</label><input id="username-1" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="password-1">Your password</label>
<input id="password-1" name="password" type="password" autocomplete="current-password" required{{#WRONG}} aria-invalid="true" aria-describedby="password-problem-1"{{/WRONG}}>
{{#PASSWORD_PROBLEM}}<span class="field-problem" id="password-problem-1">{{PROBLEM}}</span>{{/PASSWORD_PROBLEM}}</p>
{{/PASSWORD}}<p><button>Make new recovery codes</button><br><span class="meta">Those that you have now stop working.</span></p>
</form></section>
{{/RENEW}}{{#REMOVE}}<section aria-labelledby="remove"><h2 id="remove">Remove the second factor</h2>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
{{#PASSWORD}}<p hidden><label for="username-2">Email address</label><input id="username-2" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="password-2">Your password</label>
<input id="password-2" name="password" type="password" autocomplete="current-password" required{{#WRONG}} aria-invalid="true" aria-describedby="password-problem-2"{{/WRONG}}>
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
<input id="key" class="code" value="{{SECRET}}" readonly spellcheck="false" autocomplete="off">
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
<input id="password" name="password" type="password" autocomplete="current-password" required{{#WRONG}} aria-invalid="true" aria-describedby="password-problem"{{/WRONG}}>
{{#PASSWORD_PROBLEM}}<span class="field-problem" id="password-problem">{{PROBLEM}}</span>{{/PASSWORD_PROBLEM}}</p>
{{/PASSWORD}}<p><button class="primary">Set up the second factor</button><br><span class="meta">You will be logged out everywhere else, and get ten recovery codes.</span></p>
</form>
{{/OFF}}
