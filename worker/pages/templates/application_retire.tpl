<script src="/assets/deliberate.js"></script>
<h1>Retire the old secret of <bdi>{{NAME}}</bdi>?</h1>
<p>An application that still uses the old secret can no longer get or renew tokens, and its users lose access within hours. At the moment it has {{PEOPLE}}. The current secret stays valid.</p>
<p>This cannot be undone.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<p class="answers"><button class="danger">Retire the old secret</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
