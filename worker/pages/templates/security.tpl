<script src="/assets/deliberate.js"></script>
<p class="way"><a href="{{@SETTINGS}}">Settings</a></p>
<h1>Sessions and password</h1>
<section aria-labelledby="sessions"><h2 id="sessions">Where you are logged in</h2>
{{#DONE_ENDED}}<p class="notice" role="status">The session is ended.</p>
{{/DONE_ENDED}}<ul class="list">
{{#SESSION}}<li class="entry"><div>{{#THIS}}<strong>This browser</strong> · {{/THIS}}{{BROWSER}} · <bdi>{{ADDRESS}}</bdi>
<p class="meta">Logged in <time datetime="{{SINCE_EXACT}}" title="{{SINCE_FULL}}">{{SINCE}}</time> · last seen <time datetime="{{SEEN_EXACT}}" title="{{SEEN_FULL}}">{{SEEN}}</time></p></div>
{{#OTHER}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="session" value="{{ID}}">
<p><button>Log out there<span class="unseen"> ({{BROWSER}}, {{ADDRESS}})</span></button></p>
</form>
{{/OTHER}}</li>
{{/SESSION}}</ul>
{{#OTHERS}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button>Log out everywhere else</button><br><span class="meta">This browser stays logged in.</span></p>
</form>
{{/OTHERS}}{{#ALONE}}<p class="meta">You are logged in nowhere else.</p>
{{/ALONE}}</section>
<section aria-labelledby="password-title"><h2 id="password-title">Change your password</h2>
{{#DONE_PASSWORD}}<p class="notice" role="status">Your password is changed. You are logged out everywhere else.</p>
{{/DONE_PASSWORD}}{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Your password was not changed:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p hidden><label for="username">Email address</label><input id="username" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="present">Current password</label>
<input id="present" name="present" type="password" autocomplete="current-password" required{{#PRESENT_WRONG}} aria-invalid="true" aria-describedby="present-problem"{{/PRESENT_WRONG}}>
{{#PRESENT_PROBLEM}}<span class="field-problem" id="present-problem">{{PROBLEM}}</span>{{/PRESENT_PROBLEM}}</p>
<p><label for="fresh">New password</label>
<input id="fresh" name="fresh" type="password" autocomplete="new-password" required aria-describedby="fresh-hint{{#FRESH_WRONG}} fresh-problem{{/FRESH_WRONG}}"{{#FRESH_WRONG}} aria-invalid="true"{{/FRESH_WRONG}}>
<span class="meta" id="fresh-hint">At least 12 characters; several words make a good one.</span>
{{#FRESH_PROBLEM}}<span class="field-problem" id="fresh-problem">{{PROBLEM}}</span>{{/FRESH_PROBLEM}}</p>
<p><label for="again">New password again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required{{#AGAIN_WRONG}} aria-invalid="true" aria-describedby="again-problem"{{/AGAIN_WRONG}}>
{{#AGAIN_PROBLEM}}<span class="field-problem" id="again-problem">{{PROBLEM}}</span>{{/AGAIN_PROBLEM}}</p>
<p><button class="primary">Change your password</button><br><span class="meta">You will be logged out everywhere else. Connected applications stay connected.</span></p>
</form></section>
